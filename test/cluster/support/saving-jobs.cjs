// A job that saves checkpoints. A module for node.cjs.
module.exports = ({ write }) => ({
  /** Counts from the last checkpoint to `data.last`. Records the number found, each number given, and each number stored. */
  async counts(context) {
    const { last, step } = context.data;
    const { lastId } = context.resumeFrom ?? { lastId: 0 };
    write({ line: 'resumed', id: context.runId, lastId, isRecovering: context.isRecovering });
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
  /** Ends at a given time, so that many runs end together. */
  async ends({ data }) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, data.until - Date.now())));
  },
  /** Saves its parent run and fails. The next attempt records the checkpoint. */
  async follows({ origin, attempt, occurrenceId, resumeFrom, checkpoint }) {
    if (attempt > 1)
      return void write({ line: 'found', occurrence: occurrenceId, own: origin.runId, found: resumeFrom });
    await checkpoint({ parent: origin.runId });
    const mono = write({ line: 'saved', occurrence: occurrenceId });
    process.send({ type: 'event', event: 'saved', mono });
    throw new Error('the first attempt fails');
  },
});
