// A sharded job. A module for node.cjs.
module.exports = ({ write }) => {
  let hears = false;
  return {
    /** Records its part at the start and after `data.duration`, and the end of its occurrence. `data.failsFirst`: the first attempt fails. */
    async sharded({ scheduler, shard, runId, occurrenceId, attempt, isRecovering, data }) {
      if (!hears)
        scheduler.subscribe(
          ({ parts, failed }) => write({ line: 'completed', parts, failed }),
          ['occurrenceCompleted'],
        );
      hears = true;
      const node = scheduler.getSchedulerInstanceId();
      const part = { node, id: runId, index: shard.index, param: shard.param, recovered: isRecovering };
      const of = { ...part, occurrence: occurrenceId };
      const mono = write({ line: 'begun', ...of });
      process.send({ type: 'event', event: 'begun', mono });
      await new Promise((resolve) => setTimeout(resolve, data.duration));
      if (data.failsFirst && attempt === 1) throw new Error('the first attempt fails');
      write({ line: 'done', ...of });
    },
  };
};
