// Jobs that do what jobs must not. A module for node.cjs, which hands over what its own job uses.
module.exports = ({ record, write, sleep }) => {
  /** Recorded as begun and ended, and then it does something else. */
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
    /** Takes its process with it. */
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
