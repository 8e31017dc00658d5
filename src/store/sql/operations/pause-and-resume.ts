import { type EpochMs, earliestOf } from '../../../base/clock';
import { recoverMissed } from '../../../domain/catch-up';
import {
  distinctKeys,
  firstOfEach,
  type GroupMatcher,
  groupsOf,
  type JobKey,
  keyText,
  matchesGroup,
  type TriggerKey,
} from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { type PauseExplanation, targetsOf } from '../../../domain/pause';
import { firesNoMore, type Trigger } from '../../../domain/trigger';
import { hasEnded } from '../../../domain/trigger-end';
import {
  ACTIVE_STATES,
  nextState,
  PAUSED_STATES,
  type TriggerState,
  type TriggerTransition,
} from '../../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, type ApplyOptions, isKeys, type Which } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { computed, readPlainJob, readPlainTrigger } from '../rows/read-rows';
import { jobKeyColumns, jobKeyOf, type TriggerRow, toCalendar, toState, triggerKeyOf } from '../rows/rows';
import { type SqlNode, withRulesOf } from '../rows/sql-node';
import { selectByRows } from '../runtime/row-batches';
import { deleteEndedUnlessJava } from './ended-triggers';
import { forgetFirstDue } from './misfired';
import { storeMissed } from './missed-times';
import { selectJobGroups, selectTriggerGroups } from './paused-groups';
import { forgetEnded, storeExplanation } from './pauses';
import { jobsOfAll, selectRunsOf } from './runs-of-triggers';
import { selectEachJob, selectJobKeys, selectTriggerRows } from './select-definitions';
import { advanceTriggers, endReservations, type MovedTrigger, moveTriggers } from './write-triggers';

/** Result of an operation that changes the states of triggers: the affected groups, and the earliest new fire time. */
export interface GroupsTouched {
  readonly groups: readonly string[];
  /** Earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
}

/** Columns that decide whether a trigger of a group or job must change. */
type TriggerSummary = MovedTrigger['from'];

/** Pauses triggers, and their further runs unless `explanation` excludes retries. Returns the groups of triggers that exist or have further runs. */
export async function pauseTriggers(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  explanation: PauseExplanation | null,
): Promise<readonly string[]> {
  const rows = await pause(tx, keys);
  const runs = holdsRuns(explanation) ? await selectRunsOf(tx, keys, jobsOfAll(keys, rows.map(jobKeyOf))) : [];
  await pause(tx, keysOf(runs, canBePaused));
  // A trigger that has fired for the last time is not paused itself, but its runs are: the pause of both ends at the same time.
  const targetsWhere = (isSelected: (summary: TriggerSummary) => boolean) =>
    targetsOf(
      'trigger',
      distinctKeys([...keysOf(rows, isSelected), ...runs.filter(isSelected).map(({ origin }) => origin)]),
    );
  const selected = targetsWhere((row) => isPaused(row) || canBePaused(row));
  await storeExplanation(tx, { explanation, selected, before: targetsWhere(isPaused) });
  return groupsOf([...rows.map(triggerKeyOf), ...runs.map(({ origin }) => origin)]);
}

/** Resumes triggers and their further runs. Missed fire times follow the misfire instruction of each trigger. */
export async function resumeTriggers(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  options: ApplyOptions,
): Promise<GroupsTouched> {
  const touched = await resume(tx, keys, options);
  const runs = await selectRunsOf(tx, keys, jobsOfAll(keys, touched.jobs));
  const { earliest } = await resume(tx, keysOf(runs, isPaused), options);
  await forgetEnded(tx, { targets: targetsOf('trigger', keys), keys, jobs: touched.jobs });
  return {
    groups: [...new Set([...touched.groups, ...runs.map(({ origin }) => origin.group)])].sort(),
    earliest: earliestOf([touched.earliest ?? null, earliest ?? null]),
  };
}

/** Pauses triggers. Returns the rows of the existing triggers, as stored before the pause. */
export async function pause(tx: NodeTransaction, keys: readonly TriggerKey[]): Promise<readonly TriggerRow[]> {
  const rows = distinct(await selectTriggerRows(tx, keys));
  const moved = rows.map((row) => moving(row, 'pause')).filter(({ from, state }) => from.TRIGGER_STATE !== state);
  await moveTriggers(tx, moved);
  const reserved = moved.map(({ from }) => ({ key: triggerKeyOf(from), state: from.TRIGGER_STATE }));
  await endReservations(tx, reserved);
  await forgetFirstDue(
    tx,
    moved.map(({ from }) => from),
  );
  return rows;
}

export async function resume(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  options: ApplyOptions,
): Promise<GroupsTouched & { readonly jobs: readonly JobKey[] }> {
  const found = distinct(await selectTriggerRows(tx, keys));
  const earliest = await resumeRows(tx, found, options);
  return { groups: groupsOf(found.map(triggerKeyOf)), jobs: found.map(jobKeyOf), earliest };
}

/** Resumes the paused triggers among the rows. Returns the earliest fire time, including their catch-up runs; undefined if none will fire. */
export async function resumeRows(
  tx: NodeTransaction,
  rows: readonly TriggerRow[],
  options: ApplyOptions,
): Promise<EpochMs | undefined> {
  const resumed = rows.filter(isPaused).map((row) => resumedTrigger(row, tx.node, options));
  const advanced = resumed.filter((each) => each.trigger !== null);
  await advanceTriggers(tx, advanced);
  const missed = advanced.flatMap((each) =>
    each.before === each.trigger ? [] : [{ ...each, jobDetail: readPlainJob(each.from, tx.node) }],
  );
  const caughtUp = await storeMissed(tx, missed, options);
  const others = resumed.filter(({ trigger }) => trigger === null);
  await moveTriggers(tx, others);
  const ended = advanced.filter(({ trigger }) => hasEnded(trigger, options.now)).map(({ trigger }) => trigger.key);
  await deleteEndedUnlessJava(tx, ended, options.now);
  const states = resumed.map(({ trigger, state }) => ({ state, nextFireTime: trigger?.nextFireTime ?? null }));
  return earliestOf([caughtUp ?? null, earliestWaiting(states) ?? null]);
}

/** Computes a resumed trigger. If this node cannot read or compute it, only its state changes; another node may recover its missed fire times. */
function resumedTrigger(row: TriggerRow, node: SqlNode, options: ApplyOptions) {
  const { state } = moving(row, 'resume');
  const before = readPlainTrigger(row, node);
  const jobPolicy = readPlainJob(row, node)?.policy;
  const clock = withRulesOf(node, options);
  const recover = (stored: Trigger) => recoverMissed(stored, toCalendar(row, node)?.calendar ?? null, clock, jobPolicy);
  const missed = before === null ? null : computed(row, node, () => recover(before));
  if (before === null || missed === null) return { from: row, trigger: null, state };
  const { trigger } = missed;
  return { from: row, before, ...missed, state: firesNoMore(trigger) ? ('COMPLETE' as const) : state };
}

function moving(row: TriggerRow, transition: TriggerTransition): MovedTrigger & { readonly from: TriggerRow } {
  // The pause of the group is ignored: a user may resume a single trigger of a paused group.
  const circumstances = { jobExecuting: row.JOB_EXECUTING === 1, groupPaused: false };
  return { from: row, state: nextState(toState(row), transition, circumstances) };
}

/** Returns the earliest fire time of the waiting triggers; undefined if none is waiting. */
export function earliestWaiting(
  triggers: readonly { readonly state: TriggerState; readonly nextFireTime: EpochMs | null }[],
): EpochMs | undefined {
  return earliestOf(triggers.map(({ state, nextFireTime }) => (state === 'WAITING' ? nextFireTime : null)));
}

/** True if the pause also covers waiting runs of earlier occurrences. */
export function holdsRuns(explanation: PauseExplanation | null): boolean {
  return explanation?.holdsRetries !== false;
}

/** Existing groups that a pause marks. A pause of all groups leaves out groups of further runs, because these follow the pauses of their triggers. */
export async function pausableGroups(tx: NodeTransaction, matcher: GroupMatcher): Promise<readonly string[]> {
  const groups = await selectTriggerGroups(tx, matcher);
  return matcher.operator === 'any' ? groups.filter((group) => !isGroupOfFurtherRuns(group)) : groups;
}

/** True if resuming the matching groups resumes `group`. `ALL_GROUPS_PAUSED` is not a group; only resuming all groups removes it. */
export function isResumedBy(matcher: GroupMatcher, group: string): boolean {
  return group === ALL_GROUPS_PAUSED ? matcher.operator === 'any' : matchesGroup(matcher, group);
}

export function isPaused({ TRIGGER_STATE }: TriggerSummary): boolean {
  return (PAUSED_STATES as readonly string[]).includes(TRIGGER_STATE);
}

export function canBePaused({ TRIGGER_STATE }: TriggerSummary): boolean {
  return (ACTIVE_STATES as readonly string[]).includes(TRIGGER_STATE);
}

export function keysOf(
  summaries: readonly TriggerSummary[],
  isSelected: (summary: TriggerSummary) => boolean,
): readonly TriggerKey[] {
  return summaries.filter(isSelected).map(triggerKeyOf);
}

export function triggersOfGroups(tx: NodeTransaction, groups: readonly string[]) {
  return selectByRows<TriggerSummary>(tx, 'selectTriggersOfGroups', groups);
}

export function triggersOfJobs(tx: NodeTransaction, jobs: readonly JobKey[]) {
  return selectByRows<TriggerSummary>(tx, 'selectTriggersOfJobs', jobs.map(jobKeyColumns));
}

export async function jobsOf(tx: NodeTransaction, which: Which<JobKey>): Promise<readonly JobKey[]> {
  if (!isKeys(which)) return selectJobKeys(tx, 'selectJobsOfGroups', await selectJobGroups(tx, which));
  const found = await selectEachJob(tx, which);
  return which.filter((_, index) => found[index] !== null);
}

/** Removes rows with duplicate keys: a write expects the stored state, so a second write to the same row would fail. */
export function distinct(rows: readonly TriggerRow[]): readonly TriggerRow[] {
  return firstOfEach(rows, (row) => keyText(triggerKeyOf(row)));
}
