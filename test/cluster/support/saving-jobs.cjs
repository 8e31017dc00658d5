// A job that saves how far it has come. A module for node.cjs.
module.exports = ({ write }) => ({
  /** Counts on from where the run before it came to, up to `data.last`; writes down what it finds, what it gives, and what is stored. */
  async counts(context) {
    const { last, step } = context.data;
    const { lastId } = context.resumeFrom ?? { lastId: 0 };
    write({ line: 'resumed', id: context.fireInstanceId, lastId, isRecovering: context.isRecovering });
    let stored = Promise.resolve();
    for (let id = lastId + 1; id <= last && !context.signal.aborted; id++) {
      write({ line: 'given', lastId: id });
      stored = context.checkpoint({ lastId: id }).then(
        () => {
          const mono = write({ line: 'stored', lastId: id });
          process.send({ type: 'event', event: 'stored', mono });
        },
        (error) => write({ line: 'refused', lastId: id, code: error.code }),
      );
      await new Promise((resolve) => setTimeout(resolve, step));
    }
    await stored;
    if (!context.signal.aborted) write({ line: 'counted', lastId: last });
  },
});
