import { type DeclaredSet, noLongerNamed, triggersNamedIn } from '../domain/declaration';
import type { TriggerKey } from '../domain/keys';
import type { PlannedChange } from '../domain/plan-changes';
import type { ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import type { JobRegistry } from '../engine/job-registry';
import type { ScheduleReader } from '../store/job-store';
import { afterCommit } from './after-commit';
import { noLongerDeclared } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';

/** What a declared set changes in all. */
export interface DeclaredChanges {
  /** Those that were given, and behind them the deletions. */
  readonly changes: readonly ScheduleChange[];
  /** What the set held before and does not name any more; with `prune`, what is deleted. */
  readonly undeclared: readonly TriggerKey[];
}

/** What a declared set changes: code, schedule files and the command `plan` ask this one function. */
export async function declaredChanges(
  store: Pick<ScheduleReader, 'getDeclaredTriggers'>,
  changes: readonly ScheduleChange[],
  declared: DeclaredSet,
): Promise<DeclaredChanges> {
  const { set, prune } = declared;
  const undeclared = noLongerNamed(await store.getDeclaredTriggers(set), triggersNamedIn(changes), declared);
  // Another program may have taken the trigger into its own set meanwhile: then it is not deleted.
  const deletions = undeclared.map((key) => ({ type: 'deleteTrigger', key, declaredIn: set }) as const);
  return { changes: prune === false ? changes : [...changes, ...deletions], undeclared };
}

/** What `applyDeclared` would change now: nothing is written. Rejects as it does. */
export async function planDeclared(
  { store, writer }: Pick<SchedulerParts, 'store' | 'writer'>,
  given: readonly ScheduleChange[],
  declared: DeclaredSet,
): Promise<{ readonly changes: readonly PlannedChange[]; readonly undeclared: readonly TriggerKey[] }> {
  const { changes, undeclared } = await declaredChanges(store, given, declared);
  const left = declared.prune === false ? await store.getTriggers(undeclared) : [];
  return {
    changes: await store.planSchedule(await writer.check(changes), writer.options()),
    undeclared: left.map(({ trigger }) => trigger.key),
  };
}

/** Applies a declared set as one unit: one outcome per change that was given. What it leaves stored is reported as a warning. */
export async function applyDeclared(
  { store, writer, announce }: Pick<SchedulerParts, 'store' | 'writer' | 'announce'>,
  given: readonly ScheduleChange[],
  declared: DeclaredSet,
  alsoRunnable: JobRegistry | null = null,
): Promise<{ readonly outcomes: readonly ScheduleOutcome[]; readonly undeclared: readonly TriggerKey[] }> {
  const { changes, undeclared } = await declaredChanges(store, given, declared);
  const isReported = declared.prune === false && undeclared.length > 0;
  const left = isReported ? await store.getTriggers(undeclared) : [];
  const outcomes = await writer.apply(changes, alsoRunnable);
  const keys = left.map(({ trigger }) => trigger.key);
  if (keys.length > 0)
    afterCommit(announce, 'reporting what a set no longer declares', () =>
      announce(noLongerDeclared(declared.set, keys)),
    );
  return { outcomes, undeclared };
}
