// Jobs that write down where, when and with which data they run. A module for node.cjs.
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

module.exports = ({ write, sleep, quartz }) => {
  /** `nth`: of its attempts. */
  const begin = (context, more = {}) => {
    const { runId: id, trigger, jobDetail, isRecovering, data } = context;
    const recovers = isRecovering ? data.QRTZ_X_RECOVERED_RUN_ID : null;
    const of = { id, trigger: trigger.key.name, job: jobDetail.key.name, origin: trigger.key.name, recovers };
    write({ line: 'start', ...of, time: context.scheduledFireTime.getTime(), nth: context.attempt, ...more });
    return () => write({ line: 'end', id, trigger: of.trigger, job: of.job });
  };

  /** Runs for its `duration`; of its attempts the first fail, as many as `failing` says. */
  async function plain(context) {
    const end = begin(context);
    const { duration = 0, failing = 0 } = context.data;
    if (duration > 0) await sleep(duration, context.signal);
    end();
    context.signal.throwIfAborted();
    if (context.attempt <= failing) throw new Error('to be tried again');
  }

  return {
    plain,
    'hashed-0': plain,
    /** Takes too long in its first attempt, and ends when it is told to. */
    async obeys(context) {
      const end = begin(context);
      if (context.attempt === 1) await sleep(60_000, context.signal);
      end();
      context.signal.throwIfAborted();
    },
    /** The same, and does not listen: longer than a process can be stopped and keep its lease. */
    async ignores(context) {
      const end = begin(context);
      if (context.attempt === 1) await new Promise((resolve) => setTimeout(resolve, 20_000));
      end();
    },
    /** The same, and can only be stopped with its thread. */
    endless: quartz.workerJob(pathToFileURL(join(__dirname, 'endless-thread.cjs'))),
    /** Its data were stored as `{ to: 'ada' }` by the version before. */
    upgraded: {
      version: 2,
      upgrade: ({ to, ...others }, from) => ({ ...others, to: [to, from] }),
      async execute(context) {
        begin(context, { found: context.data.to })();
      },
    },
    /** The same of `{ count: 0 }`; it counts on, and keeps that. */
    counted: {
      version: 2,
      upgrade: ({ count }, from) => ({ counts: [count, from] }),
      async execute(context) {
        const { counts } = context.data;
        const end = begin(context, { found: counts });
        await sleep(50, context.signal);
        end();
        context.signal.throwIfAborted();
        return { counts: [counts[0] + 1, counts[1]] };
      },
    },
  };
};

/** Middleware that writes down when it is entered and left. */
module.exports.around =
  ({ write }) =>
  async (context, next) => {
    const of = { id: context.runId, job: context.jobDetail.key.name };
    write({ line: 'before', ...of });
    try {
      await next();
    } finally {
      write({ line: 'after', ...of });
    }
  };
