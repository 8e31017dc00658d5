import { type EpochMs, earliestOf } from '../../../base/clock';
import { recoverMissed } from '../../../domain/catch-up';
import {
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
import { nextState, type TriggerState, type TriggerTransition } from '../../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, type ApplyOptions, isKeys, type Which } from '../../job-store';
import { computed, readPlainJob, readPlainTrigger } from '../rows/read-rows';
import { jobKeyColumns, jobKeyOf, type TriggerRow, toCalendar, toState, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, selectOrdered } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import { settleMissed } from './missed-times';
import {
  deletePausedGroups,
  insertPausedGroups,
  selectJobGroups,
  selectPausedGroups,
  selectTriggerGroups,
} from './paused-groups';
import { forgetEnded, say } from './pauses';
import { jobsOfAll, selectRunsOf } from './runs-of-triggers';
import { selectTriggerRows } from './select-triggers';
import { advanceTriggers, endReservations, type MovedTrigger, moveTriggers } from './write-triggers';

/** What an operation did to groups, and when something fires earlier because of it. */
export interface GroupsTouched {
  readonly groups: readonly string[];
  /** The earliest fire time that came within reach; undefined: none did. */
  readonly earliest: EpochMs | undefined;
}

/** What is read of the triggers of a group or a job before it is known which of them change. */
interface TriggerSummary {
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly TRIGGER_STATE: string;
}

/** Pauses triggers, or groups of them with what will be added to them. The names of the groups. */
export async function pauseTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  which: Which<TriggerKey>,
  explanation: PauseExplanation | null,
): Promise<readonly string[]> {
  if (isKeys(which)) {
    const rows = await pause(tx, node, which);
    const runs = holdsRuns(explanation)
      ? await selectRunsOf(tx, node, which, jobsOfAll(which, rows.map(jobKeyOf)))
      : [];
    await pause(tx, node, keysOf(runs, canBePaused));
    const meant = targetsOf(
      'trigger',
      keysOf(rows, (row) => isPaused(row) || canBePaused(row)),
    );
    await say(tx, node, { explanation, meant, before: targetsOf('trigger', keysOf(rows, isPaused)) });
    return groupsOf([...rows.map(triggerKeyOf), ...runs.map(({ origin }) => origin)]);
  }
  // A group that has no trigger yet can only be meant by its name.
  const groups = which.operator === 'equals' ? [which.value] : await pausableGroups(tx, node, which);
  const { remembered, paused } = await rememberPaused(tx, node, which, groups);
  const runs = holdsRuns(explanation) ? await selectRunsOf(tx, node, which, null) : [];
  const triggers = await triggersOfGroups(tx, node, groups);
  await pause(tx, node, keysOf([...triggers, ...runs], canBePaused));
  const meant = remembered.length === 0 ? [] : targetsOf('trigger', which);
  await say(tx, node, { explanation, meant, before: remembered.some((group) => paused.has(group)) ? meant : [] });
  return groups;
}

/** Remembers the groups that a matcher pauses. `paused`: those that were before. */
export async function rememberPaused(
  tx: SqlTransaction,
  node: SqlNode,
  { operator }: GroupMatcher,
  groups: readonly string[],
): Promise<{ readonly remembered: readonly string[]; readonly paused: ReadonlySet<string> }> {
  const paused = await selectPausedGroups(tx, node);
  const remembered = operator === 'any' ? [...groups, ALL_GROUPS_PAUSED] : groups;
  await insertPausedGroups(
    tx,
    node,
    remembered.filter((group) => !paused.has(group)),
  );
  return { remembered, paused };
}

/** Undoes `pauseTriggers`; the misfire instruction decides what was missed. The names of the groups. */
export async function resumeTriggers(
  tx: SqlTransaction,
  node: SqlNode,
  which: Which<TriggerKey>,
  options: ApplyOptions,
): Promise<GroupsTouched> {
  if (isKeys(which)) {
    const touched = await resume(tx, node, which, options);
    const runs = await selectRunsOf(tx, node, which, jobsOfAll(which, touched.jobs));
    const { earliest } = await resume(tx, node, keysOf(runs, isPaused), options);
    await forgetEnded(tx, node, { targets: targetsOf('trigger', which), keys: which, jobs: touched.jobs });
    return {
      groups: [...new Set([...touched.groups, ...runs.map(({ origin }) => origin.group)])].sort(),
      earliest: earliestOf([touched.earliest ?? null, earliest ?? null]),
    };
  }
  const paused = [...(await selectPausedGroups(tx, node))].filter((group) => isResumedBy(which, group));
  await deletePausedGroups(tx, node, paused);
  const present = await selectTriggerGroups(tx, node, which);
  const runs = await selectRunsOf(tx, node, which, null);
  const keys = keysOf([...(await triggersOfGroups(tx, node, present)), ...runs], isPaused);
  const groups = [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
  const touched = await resume(tx, node, keys, options);
  await forgetEnded(tx, node, { targets: targetsOf('trigger', which), keys, jobs: touched.jobs });
  return { ...touched, groups };
}

/** Pauses the triggers the jobs have now. The names of the job groups. */
export async function pauseJobs(
  tx: SqlTransaction,
  node: SqlNode,
  which: Which<JobKey>,
  explanation: PauseExplanation | null,
): Promise<readonly string[]> {
  const jobs = await jobsOf(tx, node, which);
  const triggers = await triggersOfJobs(tx, node, jobs);
  const isMeant = ({ TRIGGER_GROUP }: TriggerSummary) => holdsRuns(explanation) || !isGroupOfFurtherRuns(TRIGGER_GROUP);
  await pause(
    tx,
    node,
    keysOf(triggers, (row) => canBePaused(row) && isMeant(row)),
  );
  const targets = targetsOf('job', isKeys(which) ? jobs : which);
  const meant = triggers.some((each) => isPaused(each) || canBePaused(each)) ? targets : [];
  await say(tx, node, { explanation, meant, before: triggers.some(isPaused) ? targets : [] });
  return groupsOf(jobs);
}

/** Resumes the triggers of the jobs. The names of the job groups. */
export async function resumeJobs(
  tx: SqlTransaction,
  node: SqlNode,
  which: Which<JobKey>,
  options: ApplyOptions,
): Promise<GroupsTouched> {
  const jobs = await jobsOf(tx, node, which);
  const keys = keysOf(await triggersOfJobs(tx, node, jobs), isPaused);
  const touched = await resume(tx, node, keys, options);
  await forgetEnded(tx, node, { targets: targetsOf('job', which), keys, jobs });
  return { ...touched, groups: groupsOf(jobs) };
}

/** Those that are stored, as they were. */
export async function pause(
  tx: SqlTransaction,
  node: SqlNode,
  keys: readonly TriggerKey[],
): Promise<readonly TriggerRow[]> {
  const rows = distinct(await selectTriggerRows(tx, node, keys));
  const moved = rows.map((row) => moving(row, 'pause')).filter(({ from, state }) => from.TRIGGER_STATE !== state);
  await moveTriggers(tx, node, moved);
  await endReservations(
    tx,
    node,
    moved.map(({ from }) => ({ key: triggerKeyOf(from), state: from.TRIGGER_STATE })),
  );
  return rows;
}

export async function resume(
  tx: SqlTransaction,
  node: SqlNode,
  keys: readonly TriggerKey[],
  options: ApplyOptions,
): Promise<GroupsTouched & { readonly jobs: readonly JobKey[] }> {
  const found = distinct(await selectTriggerRows(tx, node, keys));
  const earliest = await resumeRows(tx, node, found, options);
  return { groups: groupsOf(found.map(triggerKeyOf)), jobs: found.map(jobKeyOf), earliest };
}

/** Resumes those of the triggers that are paused. When the first of them fires earlier because of it; undefined: none does. */
export async function resumeRows(
  tx: SqlTransaction,
  node: SqlNode,
  rows: readonly TriggerRow[],
  options: ApplyOptions,
): Promise<EpochMs | undefined> {
  const resumed = rows.filter(isPaused).map((row) => resumedTrigger(row, node, options));
  const advanced = resumed.filter((each) => each.trigger !== null);
  await advanceTriggers(tx, node, advanced);
  const caughtUp = await settleMissed(
    tx,
    node,
    advanced
      .filter(({ before, trigger }) => before !== trigger)
      .map((each) => ({ ...each, jobDetail: readPlainJob(each.from, node) })),
    options,
  );
  await moveTriggers(
    tx,
    node,
    resumed.filter(({ trigger }) => trigger === null),
  );
  const states = resumed.map(({ trigger, state }) => ({ state, nextFireTime: trigger?.nextFireTime ?? null }));
  return earliestOf([caughtUp ?? null, earliestWaiting(states) ?? null]);
}

/** A trigger that this node cannot read or compute is resumed as it is: others may know what it missed. */
function resumedTrigger(row: TriggerRow, node: SqlNode, options: ApplyOptions) {
  const { state } = moving(row, 'resume');
  const before = readPlainTrigger(row, node);
  const jobPolicy = readPlainJob(row, node)?.policy;
  const recover = (stored: Trigger) => recoverMissed(stored, toCalendar(row)?.calendar ?? null, options, jobPolicy);
  const missed = before === null ? null : computed(row, node, () => recover(before));
  if (before === null || missed === null) return { from: row, trigger: null, state };
  const { trigger } = missed;
  return { from: row, before, ...missed, state: firesNoMore(trigger) ? ('COMPLETE' as const) : state };
}

function moving(row: TriggerRow, transition: TriggerTransition): MovedTrigger & { readonly from: TriggerRow } {
  // The group does not matter: who resumes a single trigger of a paused group means it.
  const circumstances = { jobExecuting: row.JOB_EXECUTING === 1, groupPaused: false };
  return { from: row, state: nextState(toState(row), transition, circumstances) };
}

/** The earliest of their fire times that is within reach. */
export function earliestWaiting(
  triggers: readonly { readonly state: TriggerState; readonly nextFireTime: EpochMs | null }[],
): EpochMs | undefined {
  return earliestOf(triggers.map(({ state, nextFireTime }) => (state === 'WAITING' ? nextFireTime : null)));
}

/** Whether the pause holds the waiting runs of earlier occurrences too. */
export function holdsRuns(explanation: PauseExplanation | null): boolean {
  return explanation?.holdsRetries !== false;
}

/** The groups that a pause remembers: that of all groups leaves further runs to the triggers that they belong to. */
export async function pausableGroups(
  tx: SqlTransaction,
  node: SqlNode,
  matcher: GroupMatcher,
): Promise<readonly string[]> {
  const groups = await selectTriggerGroups(tx, node, matcher);
  return matcher.operator === 'any' ? groups.filter((group) => !isGroupOfFurtherRuns(group)) : groups;
}

/** The mark of all groups is no group: only who resumes all groups removes it. */
export function isResumedBy(matcher: GroupMatcher, group: string): boolean {
  return group === ALL_GROUPS_PAUSED ? matcher.operator === 'any' : matchesGroup(matcher, group);
}

export function isPaused({ TRIGGER_STATE }: TriggerSummary): boolean {
  return TRIGGER_STATE === 'PAUSED' || TRIGGER_STATE === 'PAUSED_BLOCKED';
}

export function canBePaused({ TRIGGER_STATE }: TriggerSummary): boolean {
  return TRIGGER_STATE === 'WAITING' || TRIGGER_STATE === 'ACQUIRED' || TRIGGER_STATE === 'BLOCKED';
}

export function keysOf(
  summaries: readonly TriggerSummary[],
  isMeant: (summary: TriggerSummary) => boolean,
): readonly TriggerKey[] {
  return summaries.filter(isMeant).map(triggerKeyOf);
}

export function triggersOfGroups(tx: SqlTransaction, { schedName }: SqlNode, groups: readonly string[]) {
  return selectByRows<TriggerSummary>(tx, 'selectTriggersOfGroups', { schedName }, groups);
}

export function triggersOfJobs(tx: SqlTransaction, { schedName }: SqlNode, jobs: readonly JobKey[]) {
  return selectByRows<TriggerSummary>(tx, 'selectTriggersOfJobs', { schedName }, jobs.map(jobKeyColumns));
}

/** Those of the jobs that are stored. */
export async function jobsOf(tx: SqlTransaction, node: SqlNode, which: Which<JobKey>): Promise<readonly JobKey[]> {
  if (isKeys(which)) {
    const rows = which.map(jobKeyColumns);
    const found = await selectOrdered<{ POSITION: number; JOB_NAME: string | null }>(
      tx,
      'selectJobs',
      { schedName: node.schedName },
      rows,
    );
    return which.filter((_, index) => found[index]?.JOB_NAME !== null);
  }
  return jobsOfGroups(tx, node, await selectJobGroups(tx, node, which));
}

export async function jobsOfGroups(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  groups: readonly string[],
): Promise<readonly JobKey[]> {
  const found = await selectByRows<{ JOB_NAME: string; JOB_GROUP: string }>(
    tx,
    'selectJobsOfGroups',
    { schedName },
    groups,
  );
  return found.map(jobKeyOf);
}

/** The same key may have been given twice, and a row can be changed from what it was only once. */
export function distinct(rows: readonly TriggerRow[]): readonly TriggerRow[] {
  return firstOfEach(rows, (row) => keyText(triggerKeyOf(row)));
}
