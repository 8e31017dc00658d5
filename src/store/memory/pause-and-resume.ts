import type { Steps } from '../../base/steps';
import {
  distinctKeys,
  type GroupMatcher,
  groupsOf,
  type JobKey,
  matchesGroup,
  type TriggerKey,
} from '../../domain/keys';
import { isGroupOfFurtherRuns } from '../../domain/occurrence';
import {
  type ExplainedPause,
  elapsedPauses,
  endedBy,
  heldBy,
  originOfRun,
  type PauseExplanation,
  type PauseTarget,
  pausedTriggerOf,
  pauseText,
  runsOf,
  staysWhenResumed,
  targetsOf,
} from '../../domain/pause';
import { firesNoMore } from '../../domain/trigger';
import { nextState } from '../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, type EndedPauses, isKeys, type ResumeOptions, type Which } from '../job-store';
import { removeEnded } from './ended-triggers';
import { type JobEntry, stateOf, type TriggerEntry } from './entries';

import type { MemoryTables } from './memory-tables';
import { recountPartsOf } from './parts';
import { type RecoveryClock, recoverInto } from './recover-misfires';

/** Maximum number of triggers that one step pauses or resumes. A step takes less than a millisecond. */
const MOVED_AT_ONCE = 200;

/*
 * Groups and jobs may have very many triggers, so pausing and resuming run in steps. The first step records the pause or its end, so that
 * triggers added later start in the right state. Each following step moves a portion of the triggers, and skips triggers whose group has
 * been resumed (or paused again) since the first step.
 */

/** Pauses triggers, or groups including triggers added later, and stores the explanation. Returns the names of the affected groups. */
export function* pauseTriggers(
  tables: MemoryTables,
  which: Which<TriggerKey>,
  explanation: PauseExplanation | null,
): Steps<readonly string[]> {
  const withRuns = explanation?.holdsRetries !== false;
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    const held = withRuns ? furtherRunsOf(tables, which) : [];
    for (const entry of [...found, ...held]) tables.move(entry, 'pause');
    const paused = found.filter(({ state }) => state === 'PAUSED').map(({ trigger }) => trigger.key);
    // A trigger that has fired for the last time is not paused itself, but its runs are: the pause of both ends at the same time.
    const origins = held.flatMap(({ state, trigger }) => (state === 'PAUSED' ? (originOfRun(trigger) ?? []) : []));
    for (const key of distinctKeys([...paused, ...origins])) tables.explain({ kind: 'trigger', key }, explanation);
    return foundGroups(found, held);
  }
  // A group without triggers can be paused only by its exact name.
  const groups = which.operator === 'equals' ? [which.value] : pausableGroups(tables, which);
  for (const group of groups) tables.pauseGroup(group);
  if (which.operator === 'any') tables.pauseGroup(ALL_GROUPS_PAUSED);
  if (which.operator === 'any' || groups.length > 0) tables.explain({ kind: 'triggers', matcher: which }, explanation);
  const members = tables.triggerGroups.membersOf(groups);
  for (const portion of portionsIn([...members, ...(withRuns ? furtherRunsOf(tables, which) : [])])) {
    for (const entry of portion) if (isPausedStill(tables, entry)) tables.move(entry, 'pause');
    yield;
  }
  return groups;
}

/** Resumes triggers, or groups including triggers added later. Deletes explanations of pauses that end. Returns the names of the affected groups. */
export function* resumeTriggers(
  tables: MemoryTables,
  which: Which<TriggerKey>,
  options: ResumeClock,
): Steps<readonly string[]> {
  const runs = furtherRunsOf(tables, which);
  if (isKeys(which)) {
    const found = triggersOf(tables, which);
    for (const entry of [...found, ...runs]) resume(tables, entry, options);
    forgetEnded(tables, targetsOf('trigger', which), found);
    return foundGroups(found, runs);
  }
  const targets = targetsOf('trigger', which);
  const staying = stayingPauses(tables, targets, options);
  const isHeld = heldBy(staying);
  const kept = staying.flatMap(({ target }) => (target.kind === 'triggers' ? [target.matcher] : []));
  const isKept = (group: string) => kept.some((matcher) => matchesGroup(matcher, group));
  const paused = [...tables.pausedGroups].filter((group) => isResumedBy(which, group) && !isKept(group));
  for (const group of paused) tables.unpauseGroup(group);
  const present = tables.triggerGroups.matching(which);
  const members = tables.triggerGroups.membersOf(present);
  forgetEnded(tables, targets, [], staying);
  for (const portion of portionsIn([...members, ...runs])) {
    const ended = portion.filter(
      ({ isStored, trigger }) =>
        isStored && !tables.pausedGroups.has(trigger.key.group) && !isHeld(pausedTriggerOf(trigger)),
    );
    for (const entry of ended) resume(tables, entry, options);
    forgetEnded(tables, [], ended);
    yield;
  }
  return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
}

/** Pauses all current triggers of the jobs, except retries and other further runs if `holdsRetries` is false. Returns the names of the job groups. */
export function* pauseJobs(
  tables: MemoryTables,
  which: Which<JobKey>,
  explanation: PauseExplanation | null,
): Steps<readonly string[]> {
  const jobs = jobsOf(tables, which);
  const isSelected = ({ trigger }: TriggerEntry) =>
    explanation?.holdsRetries !== false || !isGroupOfFurtherRuns(trigger.key.group);
  const triggers = jobs.flatMap((job) => job.triggers.toArray()).filter(isSelected);
  for (const portion of portionsIn(triggers)) {
    for (const entry of portion) if (entry.isStored) tables.move(entry, 'pause');
    yield;
  }
  const targets = isKeys(which) ? targetsOf('job', keysOf(jobs.filter(isPausedJob))) : targetsOf('job', which);
  if (jobs.some(isPausedJob)) for (const target of targets) tables.explain(target, explanation);
  return groupsOf(keysOf(jobs));
}

/** Resumes the triggers of the jobs. Deletes the explanations of the pauses that end. Returns the names of the job groups. */
export function* resumeJobs(
  tables: MemoryTables,
  which: Which<JobKey>,
  options: ResumeClock,
): Steps<readonly string[]> {
  const jobs = jobsOf(tables, which);
  const targets = targetsOf('job', which);
  const staying = stayingPauses(tables, targets, options);
  const isHeld = heldBy(staying);
  forgetEnded(tables, targets, [], staying);
  for (const portion of portionsIn(jobs.flatMap((job) => job.triggers.toArray()))) {
    const stored = portion.filter(({ isStored, trigger }) => isStored && !isHeld(pausedTriggerOf(trigger)));
    for (const entry of stored) resume(tables, entry, options);
    forgetEnded(tables, [], stored);
    yield;
  }
  return groupsOf(keysOf(jobs));
}

type ResumeClock = RecoveryClock & Pick<ResumeOptions, 'keepsSingle'>;

/** Returns the explained pauses that stay when only the targets are resumed. */
function stayingPauses(
  tables: MemoryTables,
  targets: readonly PauseTarget[],
  { keepsSingle, now }: ResumeClock,
): readonly ExplainedPause[] {
  return keepsSingle === true ? [...tables.pauses.values()].filter(staysWhenResumed(targets, now)) : [];
}

function* portionsIn(entries: readonly TriggerEntry[]): Iterable<readonly TriggerEntry[]> {
  for (let first = 0; first < entries.length; first += MOVED_AT_ONCE) yield entries.slice(first, first + MOVED_AT_ONCE);
}

/** True if the trigger is stored and its group still paused. Ignores the group of a further run, which follows its original trigger. */
function isPausedStill(tables: MemoryTables, { trigger, isStored }: TriggerEntry): boolean {
  const { group } = trigger.key;
  return isStored && (isGroupOfFurtherRuns(group) || tables.isGroupPaused(group));
}

export function endPauses(tables: MemoryTables, options: RecoveryClock): EndedPauses {
  const { over, standing, nextEnd } = elapsedPauses([...tables.pauses.values()], options.now);
  const isHeld = heldBy(standing);
  for (const { target } of over) {
    tables.explain(target, null);
    if (target.kind === 'triggers') {
      const kept = standing.flatMap((pause) => (pause.target.kind === 'triggers' ? [pause.target.matcher] : []));
      const isKept = (group: string) => kept.some((matcher) => isResumedBy(matcher, group));
      const paused = [...tables.pausedGroups].filter((group) => isResumedBy(target.matcher, group) && !isKept(group));
      for (const group of paused) tables.unpauseGroup(group);
    }
    for (const entry of triggersPausedBy(tables, target)) {
      const paused = pausedTriggerOf(entry.trigger);
      const isPausedStill = isHeld(paused) || tables.isGroupPaused((paused.of ?? paused.key).group);
      if (!isPausedStill) resume(tables, entry, options);
    }
  }
  return { ended: over, nextEnd };
}

function triggersPausedBy(tables: MemoryTables, target: PauseTarget): readonly TriggerEntry[] {
  const which = 'key' in target ? [target.key] : target.matcher;
  if (target.kind === 'job' || target.kind === 'jobs') {
    return jobsOf(tables, which).flatMap((job) => job.triggers.toArray());
  }
  return [...triggersOf(tables, which), ...furtherRunsOf(tables, which)];
}

/** Deletes the explanations of pauses that ended because these targets and triggers were resumed. */
function forgetEnded(
  tables: MemoryTables,
  resumed: readonly PauseTarget[],
  triggers: readonly TriggerEntry[],
  staying: readonly ExplainedPause[] = [],
): void {
  if (tables.pauses.size === 0) return;
  for (const { trigger } of triggers) tables.explain({ kind: 'trigger', key: trigger.key }, null);
  if (resumed.every((target) => 'key' in target)) for (const target of resumed) tables.explain(target, null);
  else {
    const isEnded = endedBy(resumed, new Set());
    const ended = [...tables.pauses.values()].filter((pause) => isEnded(pause) && !staying.includes(pause));
    for (const { target } of ended) tables.explain(target, null);
  }
  forgetFreed(tables, keysOf([...new Set(triggers.map(({ job }) => job))]));
}

/** Deletes the explanations of pauses of jobs that have no paused trigger left. */
export function forgetFreed(tables: MemoryTables, jobs: readonly JobKey[]): void {
  if (tables.pauses.size === 0) return;
  for (const key of jobs) {
    const job = tables.job(key);
    const isExplained = tables.pauses.has(pauseText({ kind: 'job', key }));
    if (isExplained && (job === null || !isPausedJob(job))) tables.explain({ kind: 'job', key }, null);
  }
}

function isPausedJob(job: JobEntry): boolean {
  return job.triggers.toArray().some(({ state }) => state === 'PAUSED');
}

function keysOf(jobs: readonly JobEntry[]): readonly JobKey[] {
  return jobs.map(({ detail }) => detail.key);
}

/** Moves triggers from ERROR to the state in which they can fire, or to COMPLETE without a next fire time. Returns the names of the groups. */
export function resetTriggersFromError(tables: MemoryTables, keys: readonly TriggerKey[]): readonly string[] {
  const found = triggersOf(tables, keys);
  for (const entry of found) {
    const { key } = entry.trigger;
    if (entry.state !== 'ERROR') continue;
    const state = nextState('ERROR', 'reset', tables.contextOf(key.group, entry.job));
    tables.updateTrigger(entry, entry.trigger, firesNoMore(entry.trigger) ? 'COMPLETE' : state);
  }
  const again = found.filter(({ trigger }) => isGroupOfFurtherRuns(trigger.key.group)).map(({ job }) => job);
  recountPartsOf(tables, keysOf(again));
  return groupsOf(found.map(({ trigger }) => trigger.key));
}

function resume(tables: MemoryTables, entry: TriggerEntry, options: RecoveryClock): void {
  if (entry.state !== 'PAUSED') return;
  const context = tables.contextOf(entry.trigger.key.group, entry.job);
  recoverInto(tables, entry, nextState(stateOf(entry), 'resume', context), options);
  removeEnded(tables, entry, options.now);
}

/** True if the matcher resumes the group. `ALL_GROUPS_PAUSED` is not a group; only the matcher `any` removes it. */
function isResumedBy(matcher: GroupMatcher, group: string): boolean {
  return group === ALL_GROUPS_PAUSED ? matcher.operator === 'any' : matchesGroup(matcher, group);
}

/** Returns the groups to record as paused. A pause of all groups omits groups of further runs, which follow their original triggers. */
function pausableGroups(tables: MemoryTables, matcher: GroupMatcher): readonly string[] {
  const groups = tables.triggerGroups.matching(matcher);
  return matcher.operator === 'any' ? groups.filter((group) => !isGroupOfFurtherRuns(group)) : groups;
}

/** Returns the triggers of further runs (such as retries, reruns and deferred runs) that belong to these triggers. */
function furtherRunsOf(tables: MemoryTables, which: Which<TriggerKey>): readonly TriggerEntry[] {
  const isSelected = runsOf(which);
  const { triggerGroups } = tables;
  return triggerGroups.membersOf(triggerGroups.names(isGroupOfFurtherRuns)).filter(({ trigger }) => {
    const origin = originOfRun(trigger);
    return origin !== null && isSelected(origin);
  });
}

/** Returns the groups of the triggers found under keys. If a deleted trigger has waiting runs, includes the group of the deleted trigger. */
function foundGroups(found: readonly TriggerEntry[], runs: readonly TriggerEntry[]): readonly string[] {
  const keys = found.map(({ trigger }) => trigger.key);
  return groupsOf([...keys, ...runs.flatMap(({ trigger }) => originOfRun(trigger) ?? [])]);
}

function triggersOf(tables: MemoryTables, which: Which<TriggerKey>): readonly TriggerEntry[] {
  if (isKeys(which)) return which.map((key) => tables.trigger(key)).filter((entry) => entry !== null);
  return tables.triggerGroups.membersOf(tables.triggerGroups.matching(which));
}

function jobsOf(tables: MemoryTables, which: Which<JobKey>): readonly JobEntry[] {
  if (isKeys(which)) return which.map((key) => tables.job(key)).filter((job) => job !== null);
  return tables.jobGroups.membersOf(tables.jobGroups.matching(which));
}
