// Jobs whose occurrences have several runs. A module for node.cjs.
module.exports = ({ write, sleep }) => {
  const of = ({ jobDetail, scheduledFireTime, runId }) => ({
    job: jobDetail.key.name,
    time: scheduledFireTime.getTime(),
    id: runId,
  });
  return {
    /** A part of an occurrence. */
    async part(context) {
      const { index, count } = context.shard;
      write({ line: 'part', ...of(context), index, count });
      await sleep(context.data.duration, context.signal);
      context.signal.throwIfAborted();
    },
    /** Fails in its first attempt if its data request it. */
    async parent(context) {
      write({ line: 'parent', ...of(context) });
      await sleep(context.data.duration, context.signal);
      context.signal.throwIfAborted();
      if (context.data.fails && context.attempt === 1) throw new Error('to be tried again');
    },
    async child(context) {
      write({ line: 'child', ...of(context), parent: context.origin.runId });
    },
    /** Counts its steps with a checkpoint each. The first attempt fails half-way. */
    async steps(context) {
      const { steps } = context.data;
      const { step: done } = context.resumeFrom ?? { step: 0 };
      write({ line: 'resumed', ...of(context), step: done });
      for (let step = done + 1; step <= steps; step++) {
        await sleep(30, context.signal);
        context.signal.throwIfAborted();
        await context.checkpoint({ step });
        write({ line: 'acknowledged', ...of(context), step });
        if (context.attempt === 1 && step === Math.ceil(steps / 2)) throw new Error('to be tried again');
      }
    },
  };
};
