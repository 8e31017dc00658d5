// Jobs that misbehave. A module for node.cjs, which passes the functions of its own job.
module.exports = ({ record, write, sleep }) => {
  /** Records a run, and then runs `after`. */
  const then = (work) => async (context) => {
    await record(context);
    return work(context);
  };
  return {
    throwsNull: then(() => {
      throw null;
    }),
    throwsWithoutText: then(() => {
      throw Object.freeze({
        toString() {
          throw new Error('no text');
        },
      });
    }),
    throwsAtOnce(context) {
      void record(context);
      throw new Error('at once');
    },
    overflowsTheStack: then(() => {
      const deeper = () => deeper() + 1;
      deeper();
    }),
    returnsTooMuch: then(() => ({ text: 'x'.repeat(200_000) })),
    returnsABigint: then(() => ({ n: 10n })),
    returnsACycle: then(() => {
      const data = {};
      data.data = data;
      return data;
    }),
    returnsATrap: then(
      () =>
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error('trap');
            },
          },
        ),
    ),
    deletesItself: then((context) => context.scheduler.deleteJob(context.jobDetail.key)),
    rejectsUnheard: then(() => {
      void Promise.reject(new Error('unheard'));
      return sleep(50, new AbortController().signal);
    }),
    /** Ends its process. */
    async exits(context) {
      await Promise.race([record(context), sleep(50, context.signal)]);
      process.exit(7);
    },
    neverEnds: (context) => Promise.all([record(context), new Promise(() => {})]),
    async shutsDown(context) {
      void record(context);
      await context.scheduler.shutdown({ waitForJobs: true });
      write({ line: 'stopped' });
    },
  };
};
