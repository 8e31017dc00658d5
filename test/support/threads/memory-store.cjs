// A store thread with the memory store. The name of a requested calendar is a command that makes it fail.
// Loads dist/, like every thread.
const { workerData } = require('node:worker_threads');
const { serveStore } = require('../../../build/store/thread/store-thread.js');
const { scopeOfNode } = require('../../../build/domain/placement.js');
const { DEFAULT_POLICY } = require('../../../build/domain/execution-policy.js');
const { MemoryJobStore } = require('../../../build/store/memory/memory-job-store.js');

/** The same as in the conformance suite. */
const scope = scopeOfNode('node', { labels: ['eu', 'ssd'], priorities: { min: -1_000, max: 1_000 } });

const NEVER = new Promise(() => {});

const policy = { ...DEFAULT_POLICY, groupLimits: { limited: 2 } };

serveStore(async (scheduler) => {
  if (workerData.refuse) throw Object.assign(new Error('refused'), { code: 'CONFIGURATION' });
  let count = 0;
  let listener = () => {};
  let current;
  const renew = () => {
    current = new MemoryJobStore(() => `thread.${++count}`, { scope, policy });
    current.open((earliest) => listener(earliest));
  };
  renew();
  const commands = {
    renew,
    'throw later'() {
      setImmediate(() => {
        throw new Error('a mistake in the store');
      });
      return NEVER;
    },
    exit: () => process.exit(7),
    silence: () => NEVER,
    'tell something': () => scheduler.notify('main', 'something', [{ told: true }]),
    'ask something': () => scheduler.call('main', 'answer', ['question']),
    'answer a function': () => () => {},
  };
  const own = {
    description: current.description,
    open: async (onScheduleChanged) => {
      listener = onScheduleChanged;
    },
    getCalendar: async (name) => (commands[name] ? commands[name]() : current.getCalendar(name)),
  };
  const store = new Proxy(own, {
    get: (_, name) => own[name] ?? (name === 'then' ? undefined : (...args) => current[name](...args)),
  });
  return { store };
});
