import { checkCount, describeFields, unmet } from './check-text';

/**
 * Rule for a firing while an earlier run of its job is executing anywhere in the cluster.
 * `allow`: the runs execute concurrently.
 * `skip`: the firing is skipped.
 * `queueOne`: the firing waits until the earlier runs end. It is skipped if another firing already waits.
 * `queueAll`: the firing waits, or is skipped if the maximum number of firings already waits.
 * `cancelRunning`: the earlier runs are interrupted, and the firing waits until they end. It is skipped if another firing already waits.
 */
export type OverlapRule = 'allow' | 'skip' | 'queueOne' | 'cancelRunning' | { readonly queueAll: number };

const RULES: readonly unknown[] = ['allow', 'skip', 'queueOne', 'cancelRunning'] satisfies readonly OverlapRule[];

const MAX_QUEUE = 1_000;

/** Validates an overlap rule and returns a frozen copy. `owner` names the job or trigger in error messages. Throws INVALID_ARGUMENT. */
export function checkOverlap(given: unknown, owner: string): OverlapRule {
  if (RULES.includes(given)) return given as OverlapRule;
  const parts = (typeof given === 'object' && given !== null ? given : {}) as Readonly<Record<string, unknown>>;
  const { queueAll, ...others } = parts;
  if (queueAll === undefined || Object.keys(others).length > 0) {
    const expected = `allow, skip, queueOne, cancelRunning or { queueAll } as the overlap of ${owner}`;
    throw unmet(expected, describeFields(given));
  }
  return Object.freeze({ queueAll: checkCount(queueAll, `queueAll of ${owner}`, MAX_QUEUE) });
}

/** Returns the maximum number of waiting firings; 0 if no firing may wait. */
export function queueLimit(rule: OverlapRule): number {
  if (typeof rule === 'object') return rule.queueAll;
  return rule === 'queueOne' || rule === 'cancelRunning' ? 1 : 0;
}
