// Jobs of features that meet: rates, parts that must not overlap, checkpoints of chained jobs, declared schedules. A module for node.cjs.

/** What every node declares before it starts. */
const DECLARED = Object.fromEntries(
  Array.from({ length: 4 }, (_, index) => [
    `declared-${index}`,
    { job: 'rarely', cron: '0 0 0 1 1 ? 2099', timeZone: 'UTC', priority: 5 },
  ]),
);

module.exports = ({ write, sleep }) => {
  const of = ({ jobDetail, scheduledFireTime, runId, occurrenceId, attempt }) => ({
    job: jobDetail.key.name,
    time: scheduledFireTime.getTime(),
    id: runId,
    occurrence: occurrenceId,
    attempt,
  });
  return {
    async rarely() {},
    /** Begins when its turn under the rate has come. */
    async turn(context) {
      write({ line: 'turn', ...of(context), recovered: context.isRecovering });
    },
    /** One of the parts of an occurrence. */
    async queued(context) {
      write({ line: 'queued', ...of(context), index: context.shard.index });
      await sleep(context.data.duration, context.signal);
      context.signal.throwIfAborted();
      write({ line: 'queuedEnd', ...of(context), index: context.shard.index });
    },
    async origin(context) {
      write({ line: 'origin', ...of(context) });
    },
    /** Saves whose occurrence it belongs to, and fails at first: the next attempt tells whose it has found. */
    async link(context) {
      write({ line: 'found', ...of(context), found: context.resumeFrom?.occurrence ?? null });
      await context.checkpoint({ occurrence: context.occurrenceId });
      write({ line: 'kept', ...of(context) });
      if (context.attempt === 1) throw new Error('to be tried again');
    },
  };
};

/** The set that every node declares, as a program does before it starts its scheduler. */
module.exports.prepare = (scheduler) => scheduler.declare(DECLARED, { set: 'crossed' });
module.exports.DECLARED = DECLARED;
