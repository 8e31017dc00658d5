// Jobs of combined features: rates, parts that must not overlap, checkpoints of chained jobs, declared schedules. A module for node.cjs.

/** Schedules that every node declares before it starts. */
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
    /** Begins when the rate allows it. */
    async turn(context) {
      write({ line: 'turn', ...of(context), recovered: context.isRecovering });
    },
    /** A part of an occurrence. */
    async queued(context) {
      write({ line: 'queued', ...of(context), index: context.shard.index });
      await sleep(context.data.duration, context.signal);
      context.signal.throwIfAborted();
      write({ line: 'queuedEnd', ...of(context), index: context.shard.index });
    },
    async origin(context) {
      write({ line: 'origin', ...of(context) });
    },
    /** Saves its occurrence in a checkpoint, and fails in the first attempt. Each attempt records the checkpoint that it has found. */
    async link(context) {
      write({ line: 'found', ...of(context), found: context.resumeFrom?.occurrence ?? null });
      await context.checkpoint({ occurrence: context.occurrenceId });
      write({ line: 'kept', ...of(context) });
      if (context.attempt === 1) throw new Error('to be tried again');
    },
  };
};

/** Declares the set on every node before its start, as a program does. */
module.exports.prepare = (scheduler) => scheduler.declare(DECLARED, { set: 'crossed' });
module.exports.DECLARED = DECLARED;
