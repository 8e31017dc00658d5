// A node in a separate process: a scheduler from dist/ whose jobs record what they do. Each line is one write to a file opened for appending, so that
// it is stored even if the process is killed right afterwards.
const { existsSync, openSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { monotonic } = require('./monotonic.cjs');

let file;
let scheduler;
let quartz;

/** Writes a line, and returns its monotonic time. */
const write = (line) => {
  const mono = monotonic();
  writeSync(file, `${JSON.stringify({ ...line, mono, wall: Date.now() })}\n`);
  return mono;
};
const tell = (message) => process.connected && process.send(message);

/** Events that are recorded. */
const NOTED = [
  'nodeJoined',
  'nodeLeft',
  'nodeFailed',
  'nodeRecovered',
  'nodeFenced',
  'statesRepaired',
  'completionFenced',
  'schedulerError',
  'triggerMisfired',
  'firingDeferred',
  'overdue',
  'firingLate',
];

/** Blocks the event loop for a time. */
const spin = (milliseconds) => {
  for (const end = monotonic() + milliseconds; monotonic() < end; );
};

const sleep = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Blocks the event loop until the file exists. */
const spinUntilFile = (path) => {
  while (!existsSync(path));
};

const namesOf = ({ runId: id, trigger, jobDetail }) => ({ id, trigger: trigger.key.name, job: jobDetail.key.name });

/** The line for the start of a run. `scheduledFireTime`: epoch milliseconds. */
function startOf({ data, isRecovering, scheduledFireTime, ...run }) {
  const firing = namesOf(run);
  const { QRTZ_X_OCCURRENCE_TRIGGER_NAME: retried, QRTZ_X_OCCURRENCE_SCHEDULED_TIME: first } = run.trigger.data; // also for a recovery of a retry
  const time = retried
    ? Number(first)
    : isRecovering
      ? Number(data.QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING)
      : scheduledFireTime;
  const recovers = isRecovering ? data.QRTZ_X_RECOVERED_RUN_ID : null;
  const origin = retried ?? (isRecovering ? data.QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME : firing.trigger);
  const attempt = isRecovering ? { attempt: Number(data.QRTZ_X_RECOVERY_ATTEMPT) } : {};
  const retry = run.attempt > 1 ? { retry: run.attempt - 1 } : {};
  const count = data.count === undefined ? {} : { count: Number(data.count) };
  return { line: 'start', ...firing, time, origin, recovers, ...attempt, ...retry, ...count };
}

/** Runs of `record` that have begun and are not completed. */
const begun = new Set();

/** Records an attempt that failed before its job began, because its checkpoint could not be read, as one that ended at once. */
function writeUnbegun({ firing, attempt }) {
  const { trigger, jobDetail, scheduledFireTime } = firing;
  if (jobDetail.jobType !== 'record' || begun.has(firing.runId)) return;
  const data = { ...jobDetail.data, ...trigger.data };
  const isRecovering = trigger.key.group === 'RECOVERING_JOBS';
  write(startOf({ ...firing, attempt, data, isRecovering, scheduledFireTime: Number(scheduledFireTime) }));
  write({ line: 'abort', ...namesOf(firing) });
  write({ line: 'end', ...namesOf(firing), failed: true });
}

/**
 * The recording job. Job data: duration of the run (`duration`), number of failing attempts (`failing`), time or file until which it blocks the
 * event loop (`spin`, `spinUntil`), and whether the parent process is notified (`tell`).
 */
async function record(context) {
  const { runId, trigger, jobDetail, data, signal, isRecovering, attempt } = context;
  const firing = namesOf(context);
  const scheduledFireTime = context.scheduledFireTime.getTime();
  begun.add(runId);
  const mono = write(startOf({ runId, trigger, jobDetail, data, isRecovering, attempt, scheduledFireTime }));
  if (data.tell) tell({ type: 'event', event: `start ${firing.job}`, mono });
  const aborted = () => write({ line: 'abort', ...firing });
  if (signal.aborted)
    aborted(); // the node lost its lease while it read the checkpoint
  else signal.addEventListener('abort', aborted);
  if (data.spin) spin(data.spin);
  if (data.spinUntil) spinUntilFile(data.spinUntil);
  if (data.duration) await sleep(data.duration, signal);
  const failed = data.failing >= attempt ? { failed: true } : {};
  write({ line: 'end', ...firing, ...failed });
  if (failed.failed) throw new Error('to be tried again');
  // Keeps the type of the counter: it is text if a Java node is in the cluster.
  if (data.count !== undefined)
    return {
      ...jobDetail.data,
      count: typeof data.count === 'string' ? String(Number(data.count) + 1) : data.count + 1,
    };
}

/** Creates the scheduler. A custom module of the store thread needs an internal function, because it is not a public option. */
async function create({ dist, config, storeThreadEntry }, options) {
  if (storeThreadEntry === undefined) return quartz.createScheduler(config, options);
  const modules = join(dirname(dist), 'build');
  const { loadConfig } = require(`${modules}/config/load-config.js`);
  const { assemble } = require(`${modules}/scheduler/assemble.js`);
  return (await assemble(await loadConfig(config), { ...options, storeThreadEntry })).scheduler;
}

/** Jobs of this node: `record` under its names (`as`), and jobs of a module, which may also export `around` (middleware) and `prepare`. */
function jobsOf({ moreJobs, as = [] }) {
  const names = Object.fromEntries(as.map((name) => [name, record]));
  return { record, ...names, ...(moreJobs ? require(moreJobs)({ record, write, sleep, spin, quartz }) : {}) };
}

const factsOf = ({ runId, jobDetail, scheduledFireTime }) => ({
  id: runId,
  job: jobDetail.key.name,
  time: Number(scheduledFireTime),
});

async function start(parameters) {
  const { dist, path } = parameters;
  file = openSync(path, 'a');
  process.on('uncaughtException', (error) => {
    write({ line: 'crash', error: String(error?.stack ?? error).slice(0, 900) });
    process.exit(99);
  });
  process.on('warning', (warning) => write({ line: 'warning', error: String(warning).slice(0, 300) }));
  quartz = require(`${dist}/index.js`);
  scheduler = await create(parameters, { jobs: jobsOf(parameters), logger: require('pino').pino({ level: 'silent' }) });
  const { around, prepare } = parameters.moreJobs ? require(parameters.moreJobs) : {};
  if (around) scheduler.use(around({ write }));
  write({ line: 'created', instanceId: scheduler.getSchedulerInstanceId() });
  scheduler.subscribe((event) => {
    if (event.type === 'jobFailed') writeUnbegun(event);
    if (event.type === 'triggerCompleted') write({ line: 'done', id: event.firing.runId });
    if (event.type === 'triggerCompleted' || event.type === 'completionFenced') begun.delete(event.firing.runId);
    if (!NOTED.includes(event.type)) return;
    const { error, firing, ...rest } = event;
    const mono = write({
      line: 'event',
      ...rest,
      ...(error ? { error: error.message } : {}),
      ...(firing ? factsOf(firing) : {}),
    });
    tell({ type: 'event', event: event.type, mono });
  });
  if (prepare) await prepare(scheduler);
  await scheduler.start();
  write({ line: 'ready' });
}

const commands = {
  start,
  stop: async ({ waitForJobs = true }) => {
    await scheduler.shutdown({ waitForJobs });
    write({ line: 'stopped' });
  },
  memory: async () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    // Timers belong to jobs that are executing.
    const handles = process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate');
    return { heapUsed, external, handles: handles.length };
  },
  /** Stores a job of the type `record` that is due at once. Returns the time of the request. */
  runOnce: async ({ name, data, recovers = false }) => {
    const { newJob, newTrigger } = quartz;
    const job = newJob('record').withIdentity(name).usingJobData(data).requestRecovery(recovers).build();
    const asked = monotonic();
    await scheduler.scheduleJob(job, newTrigger().withIdentity(name).startNow().build());
    return asked;
  },
  call: async ({ method, args }) => scheduler[method](...args),
};

process.on('message', ({ id, command, ...parameters }) => {
  commands[command](parameters).then(
    (result) => tell({ type: 'done', id, result: result ?? null }),
    (error) => tell({ type: 'failed', id, message: `${error.code}: ${error.message}` }),
  );
});
process.on('disconnect', () => process.exit());
