// Jobs that record where, when and with which data they run. A module for node.cjs.
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

module.exports = ({ write, sleep, quartz }) => {
  /** Records the start of a run. Returns a function that records its end. `nth`: number of the attempt. */
  const begin = (context, more = {}) => {
    const { runId: id, trigger, jobDetail, isRecovering, data } = context;
    const recovers = isRecovering ? data.QRTZ_X_RECOVERED_RUN_ID : null;
    const of = { id, trigger: trigger.key.name, job: jobDetail.key.name, origin: trigger.key.name, recovers };
    write({ line: 'start', ...of, time: context.scheduledFireTime.getTime(), nth: context.attempt, ...more });
    return () => write({ line: 'end', id, trigger: of.trigger, job: of.job });
  };

  /** Runs for its `duration`. The first `failing` attempts fail. */
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
    /** Exceeds its time limit in the first attempt, and ends when it is aborted. */
    async obeys(context) {
      const end = begin(context);
      if (context.attempt === 1) await sleep(60_000, context.signal);
      end();
      context.signal.throwIfAborted();
    },
    /** Exceeds its time limit and ignores the abort, for longer than a stopped process keeps its lease. */
    async ignores(context) {
      const end = begin(context);
      if (context.attempt === 1) await new Promise((resolve) => setTimeout(resolve, 20_000));
      end();
    },
    /** Exceeds its time limit, and can only be stopped by terminating its thread. */
    endless: quartz.workerJob(pathToFileURL(join(__dirname, 'endless-thread.cjs'))),
    /** The previous version has stored its data as `{ to: 'ada' }`. */
    upgraded: {
      version: 2,
      upgrade: ({ to, ...others }, from) => ({ ...others, to: [to, from] }),
      async execute(context) {
        begin(context, { found: context.data.to })();
      },
    },
    /** The previous version has stored its data as `{ count: 0 }`. It counts its runs and persists the counter. */
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

/** Middleware that records when a run enters and leaves it. */
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
