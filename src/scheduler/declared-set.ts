import {
  type DeclarationTarget,
  type DeclaredSet,
  declaredTarget,
  declares,
  noLongerNamed,
  targetOf,
  targetText,
  triggersNamedIn,
} from '../domain/declaration';
import { keyText, type TriggerKey, triggerKey } from '../domain/keys';
import type { Author } from '../domain/override';
import type { PlannedChange } from '../domain/plan-changes';
import type { ChangeSet, Outcomes, ScheduleChange } from '../domain/schedule-change';
import type { JobRegistry } from '../engine/job-registry';
import type { ScheduleReader } from '../store/job-store';
import { afterCommit } from './after-commit';
import { noLongerDeclared, orphanedBy } from './schedule-events';
import type { SchedulerParts } from './scheduler-parts';

export interface DeclaredChanges {
  /** The given changes, followed by deletions if the set is pruned. */
  readonly changes: ChangeSet;
  /** Triggers that belonged to the set but that the set no longer names. With `prune`, they are deleted. */
  readonly undeclared: readonly TriggerKey[];
}

/** Computes the changes that apply a declared set. Code, schedule files and `quartz schedule plan` share this function. */
export async function declaredChanges(
  store: Pick<ScheduleReader, 'getDeclaredSets'>,
  changes: ChangeSet,
  declared: DeclaredSet,
): Promise<DeclaredChanges> {
  const { set, prune, renamedFrom } = declared;
  const held = await store.getDeclaredSets(renamedFrom === undefined ? [set] : [set, renamedFrom]);
  const setOf = new Map(held.flatMap((each) => (each.what === 'trigger' ? [[keyText(each), each.set] as const] : [])));
  const triggers = held.flatMap(({ what, group, name }) => (what === 'trigger' ? [triggerKey(name, group)] : []));
  const undeclared = noLongerNamed(triggers, triggersNamedIn(changes), declared);
  // Each deletion names the set that declared the trigger. It has no effect if another program has since declared the trigger in its own set.
  const deletions = undeclared.map(
    (key) => ({ type: 'deleteTrigger', key, declaredIn: setOf.get(keyText(key)) ?? set }) as const,
  );
  return { changes: prune === false ? changes : [...changes, ...deletions], undeclared };
}

/** A stored definition that no set declares any more, with the set that declared it last. */
export type Orphan = DeclarationTarget & { readonly set: string };

export interface DeclaredPlan {
  readonly changes: readonly PlannedChange[];
  readonly undeclared: readonly TriggerKey[];
  /** Stored definitions that no set declares any more, in sets from which this set takes over definitions. Such a set has probably been renamed. */
  readonly orphaned: readonly Orphan[];
}

export async function orphansOf(
  store: Pick<ScheduleReader, 'getDeclaredSets' | 'getDeclarations'>,
  changes: ChangeSet,
  { set, renamedFrom, namedElsewhere = [] }: DeclaredSet,
): Promise<readonly Orphan[]> {
  const named = changes.filter(declares).map(declaredTarget);
  const sets = new Set((await store.getDeclarations(named)).flatMap((each) => each.set ?? []));
  const former = [...sets].filter((each) => each !== set && each !== renamedFrom);
  if (former.length === 0) return [];
  const kept = new Set([...named, ...namedElsewhere.map((key) => targetOf('trigger', key))].map(targetText));
  return (await store.getDeclaredSets(former)).filter((each) => !kept.has(targetText(each)));
}

/** Computes what `applyDeclared` would change now, without writing, and rejects as it would. `conceal` transforms changes before the comparison. */
export async function planDeclared(
  { store, writer }: Pick<SchedulerParts, 'store' | 'writer'>,
  given: ChangeSet,
  declared: DeclaredSet,
  conceal: (change: ScheduleChange) => ScheduleChange = (change) => change,
): Promise<DeclaredPlan> {
  const { changes, undeclared } = await declaredChanges(store, given, declared);
  const left = declared.prune === false ? await store.getTriggers(undeclared) : [];
  return {
    changes: await store.planSchedule((await writer.check(changes)).map(conceal), writer.options()),
    undeclared: left.map(({ trigger }) => trigger.key),
    orphaned: await orphansOf(store, given, declared),
  };
}

/** Applies a declared set, in portions if large and not `atomic`. Returns an outcome per change. Warns of triggers the set no longer declares. */
export async function applyDeclared(
  { store, writer, announce }: Pick<SchedulerParts, 'store' | 'writer' | 'announce'>,
  given: ChangeSet,
  declared: DeclaredSet,
  { alsoRunnable = null, author }: { readonly alsoRunnable?: JobRegistry | null; readonly author?: Author } = {},
): Promise<{ readonly outcomes: Outcomes; readonly undeclared: readonly TriggerKey[] }> {
  const { changes, undeclared } = await declaredChanges(store, given, declared);
  const isReported = declared.prune === false && undeclared.length > 0;
  const left = isReported ? await store.getTriggers(undeclared) : [];
  const orphaned = await orphansOf(store, given, declared);
  const outcomes = await writer.apply(changes, { alsoRunnable, author, atomic: declared.atomic ?? false });
  const keys = left.map(({ trigger }) => trigger.key);
  if (keys.length > 0)
    afterCommit(announce, 'reporting schedules that a set no longer declares', () =>
      announce(noLongerDeclared(declared.set, keys)),
    );
  if (orphaned.length > 0) announce(orphanedBy(declared.set, orphaned));
  return { outcomes, undeclared };
}
