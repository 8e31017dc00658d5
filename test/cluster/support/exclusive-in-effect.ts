import type { Run } from '../../chaos/checker/check-history';

const RECOVERY = 'recover_';

/**
 * Firings of an exclusive job that executed at the same time, according to the database. A process that was stopped may still run a job that another
 * node has recovered, but it must not be able to complete it.
 */
export function overlapsInEffect({ audit, expected }: Run): readonly string[] {
  const jobOf = new Map(expected.filter(({ load }) => load.exclusive).map(({ trigger, job }) => [trigger, job]));
  const triggerOf = new Map(audit.map(({ entryId, triggerName }) => [entryId, triggerName]));
  const origin = (trigger: string): string =>
    trigger.startsWith(RECOVERY) ? origin(triggerOf.get(trigger.slice(RECOVERY.length)) ?? '') : trigger;
  const executing = new Map<string, Set<string>>();
  const overlaps: string[] = [];
  for (const { op, state, entryId, triggerName } of audit) {
    const job = jobOf.get(origin(triggerName));
    if (job === undefined) continue;
    const entries = executing.get(job) ?? new Set();
    executing.set(job, entries);
    if (op === 'D') entries.delete(entryId);
    else if (state === 'EXECUTING') entries.add(entryId);
    if (entries.size > 1) overlaps.push(`${job}: ${[...entries].join(' and ')}`);
  }
  return overlaps;
}
