import type { EpochMs } from '../../base/clock';
import type { Completion } from '../../domain/completion';
import {
  beginExpectations,
  dueTimeOf,
  type Expectation,
  metBy,
  ownerText,
  type StoredOwner,
} from '../../domain/expectation';
import type { SpreadOccurrence } from '../../domain/spread-occurrence';
import type { StoredExpectation } from './entries';
import type { MemoryTables } from './memory-tables';

const MAX_NOTIFIED = 100;

export function saveExpectations({ expectations }: MemoryTables, owners: readonly StoredOwner[], now: EpochMs): void {
  for (const { isNew, ...started } of beginExpectations(owners, now)) {
    const text = ownerText(started);
    const before = expectations.get(text);
    const { since, lastSuccess } = isNew || before === undefined ? started : before;
    expectations.set(text, { ...started, since, lastSuccess, isReported: false });
  }
}

/** Restarts the time allowed by `mustSucceedWithin` after a success. `ended`: occurrence whose last part this completion ends; null if none. */
export function meetExpectations(
  { expectations }: MemoryTables,
  completion: Completion,
  ended: SpreadOccurrence | null,
): void {
  for (const { time, ...owner } of metBy([completion], new Map(ended === null ? [] : [[completion, ended]]))) {
    const text = ownerText(owner);
    const before = expectations.get(text);
    if (before === undefined || (before.lastSuccess ?? Number.NEGATIVE_INFINITY) >= time) continue;
    expectations.set(text, { ...before, since: time, lastSuccess: time, isReported: false });
  }
}

export function nextDueTime({ expectations }: MemoryTables): EpochMs | null {
  let next: EpochMs | null = null;
  for (const each of expectations.values()) {
    if (!each.isReported) next = Math.min(dueTimeOf(each), next ?? Number.POSITIVE_INFINITY);
  }
  return next;
}

/** Marks at most 100 unreported overdue expectations as reported and returns them, the longest overdue first. Deletes those that no longer apply. */
export function takeOverdue(tables: MemoryTables, now: EpochMs): readonly Expectation[] {
  const { expectations } = tables;
  const taken: Expectation[] = [];
  for (const each of dueBy(tables, now).filter(({ isReported }) => !isReported)) {
    if (!stands(tables, each)) expectations.delete(ownerText(each));
    else if (taken.length < MAX_NOTIFIED) {
      expectations.set(ownerText(each), { ...each, isReported: true });
      taken.push(toExpectation(each));
    }
  }
  return taken;
}

export function listOverdue(tables: MemoryTables, now: EpochMs, maxCount: number): readonly Expectation[] {
  return dueBy(tables, now)
    .filter((each) => stands(tables, each))
    .slice(0, maxCount)
    .map(toExpectation);
}

function dueBy({ expectations }: MemoryTables, now: EpochMs): readonly StoredExpectation[] {
  const due = [...expectations.values()].filter((each) => dueTimeOf(each) <= now);
  return due.sort((a, b) => dueTimeOf(a) - dueTimeOf(b));
}

/** True if the owner is stored and still has this setting. */
function stands(tables: MemoryTables, { jobKey, triggerKey, mustSucceedWithin }: Expectation): boolean {
  const owner = triggerKey === null ? tables.job(jobKey)?.detail : tables.trigger(triggerKey)?.trigger;
  return owner?.policy?.mustSucceedWithin === mustSucceedWithin;
}

function toExpectation({ isReported: _, ...expectation }: StoredExpectation): Expectation {
  return expectation;
}
