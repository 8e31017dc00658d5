// A job that is run in parts. A module for node.cjs.
module.exports = ({ write }) => {
  let hears = false;
  return {
    /** Writes down which part it is, when it begins and when it is done, `data.duration` later; and when its occurrence has ended. */
    async sharded({ scheduler, shard, fireInstanceId, isRecovering, data }) {
      if (!hears)
        scheduler.subscribe(
          ({ parts, failed }) => write({ line: 'completed', parts, failed }),
          ['occurrenceCompleted'],
        );
      hears = true;
      const node = scheduler.getSchedulerInstanceId();
      const part = { node, id: fireInstanceId, index: shard.index, param: shard.param, recovered: isRecovering };
      const mono = write({ line: 'begun', ...part });
      process.send({ type: 'event', event: 'begun', mono });
      await new Promise((resolve) => setTimeout(resolve, data.duration));
      write({ line: 'done', ...part });
    },
  };
};
