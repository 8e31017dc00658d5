import { type GroupMatcher, groupsOf, type JobKey, matchesGroup, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import {
  type ExplainedPause,
  endedBy,
  heldBy,
  type PauseExplanation,
  type PauseTarget,
  staysWhenResumed,
  targetsOf,
} from '../../../domain/pause';
import { ACTIVE_STATES, PAUSED_STATES } from '../../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, isKeys, type ResumeOptions, type Which } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import {
  canBePaused,
  holdsRuns,
  isPaused,
  isResumedBy,
  jobsOf,
  keysOf,
  pausableGroups,
  pause,
  pauseTriggers,
  resume,
  resumeTriggers,
} from './pause-and-resume';
import { deletePausedGroups, insertPausedGroups, selectPausedGroups, selectTriggerGroups } from './paused-groups';
import {
  forgetEnded,
  forgetPauses,
  pagePauses,
  selectPausesOf,
  selectPausesOfTargets,
  storeExplanation,
} from './pauses';
import { pausedTriggerIn, selectRunsOf } from './runs-of-triggers';
import { selectTriggerRows } from './select-definitions';
import type { Moved, PortionedMoves } from './trigger-portions';
import { portionsOfGroups, portionsOfJobs, portionsOfKeys, type TriggerPortions } from './trigger-portions';

const NOTHING: Moved = { groups: [], earliest: undefined };
const NOTHING_SAID = { forget: async () => null };

/** Maximum number of pauses with an explanation to check per transaction, when the explanations of ended pauses are deleted. */
const PAUSES_AT_ONCE = 500;

export function pausingTriggers(which: Which<TriggerKey>, explanation: PauseExplanation | null): PortionedMoves {
  if (!isKeys(which)) return pausingGroups(which, explanation);
  return {
    ...NOTHING_SAID,
    begin: async () => [],
    sources: [portionsOfKeys(which)],
    move: async (tx, keys) => ({ ...NOTHING, groups: await pauseTriggers(tx, keys, explanation) }),
  };
}

function pausingGroups(matcher: GroupMatcher, explanation: PauseExplanation | null): PortionedMoves {
  const withRuns = holdsRuns(explanation);
  // A pause of all groups leaves out further runs, because these follow the pauses of their triggers.
  const isSelected = (group: string) =>
    matcher.operator === 'any' ? !isGroupOfFurtherRuns(group) : matchesGroup(matcher, group);
  return {
    ...NOTHING_SAID,
    sources: [
      portionsOfGroups(matcher, isSelected, ACTIVE_STATES),
      ...(withRuns ? [runsOfGroups(matcher, canBePaused)] : []),
    ],
    async begin(tx) {
      // A group selected by its exact name is paused even if it has no triggers.
      const groups = matcher.operator === 'equals' ? [matcher.value] : await pausableGroups(tx, matcher);
      const paused = await selectPausedGroups(tx);
      const remembered = matcher.operator === 'any' ? [...groups, ALL_GROUPS_PAUSED] : groups;
      const added = remembered.filter((group) => !paused.has(group));
      await insertPausedGroups(tx, added);
      const selected = remembered.length === 0 ? [] : targetsOf('trigger', matcher);
      const before = added.length < remembered.length ? selected : [];
      await storeExplanation(tx, { explanation, selected, before });
      return groups;
    },
    async move(tx, keys) {
      const paused = await selectPausedGroups(tx);
      const isStill = ({ group }: TriggerKey) => isGroupOfFurtherRuns(group) || paused.has(group);
      await pause(tx, keys.filter(isStill));
      return NOTHING;
    },
  };
}

export function resumingTriggers(which: Which<TriggerKey>, options: ResumeOptions): PortionedMoves {
  if (!isKeys(which)) return resumingGroups(which, options);
  return {
    ...NOTHING_SAID,
    begin: async () => [],
    sources: [portionsOfKeys(which)],
    move: (tx, keys) => resumeTriggers(tx, keys, options),
  };
}

function resumingGroups(matcher: GroupMatcher, options: ResumeOptions): PortionedMoves {
  const targets = targetsOf('trigger', matcher);
  const stays = stayingPauses(targets, options);
  const isSelected = (group: string) => matchesGroup(matcher, group);
  return {
    ...forgetting(targets, options),
    sources: [portionsOfGroups(matcher, isSelected, PAUSED_STATES), runsOfGroups(matcher, isPaused)],
    async begin(tx) {
      const pauses = await selectPausesOfTargets(tx, []);
      const isKept = matchesAny(pauses.filter(stays));
      const isResumed = (group: string) => isResumedBy(matcher, group) && !isKept(group);
      const paused = [...(await selectPausedGroups(tx))].filter(isResumed);
      await deletePausedGroups(tx, paused);
      const isOver = endedBy(targets, new Set());
      const ended = pauses.filter((each) => isOver(each) && !stays(each)).map(({ target }) => target);
      await forgetPauses(tx, ended);
      const present = await selectTriggerGroups(tx, matcher);
      return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
    },
    async move(tx, keys) {
      const paused = await selectPausedGroups(tx);
      const selected = keys.filter(({ group }) => !paused.has(group));
      const resumed = await resumeUnless(tx, selected, stays, options);
      await forgetEnded(tx, { targets: targetsOf('trigger', resumed.keys), keys: resumed.keys, jobs: resumed.jobs });
      return { ...NOTHING, earliest: resumed.earliest };
    },
  };
}

export function pausingJobs(which: Which<JobKey>, explanation: PauseExplanation | null): PortionedMoves {
  const isSelected = ({ group }: TriggerKey) => holdsRuns(explanation) || !isGroupOfFurtherRuns(group);
  const jobs = (tx: NodeTransaction) => jobsOf(tx, which);
  return {
    ...NOTHING_SAID,
    sources: [portionsOfJobs(jobs, ACTIVE_STATES)],
    async begin(tx) {
      const found = await jobs(tx);
      const targets = targetsOf('job', isKeys(which) ? found : which);
      const { keys } = await portionsOfJobs(async () => found, [...ACTIVE_STATES, ...PAUSED_STATES])(tx, null, 1);
      const selected = keys.length > 0 ? targets : [];
      await storeExplanation(tx, { explanation, selected, before: selected });
      return groupsOf(found);
    },
    async move(tx, keys) {
      await pause(tx, keys.filter(isSelected));
      return NOTHING;
    },
  };
}

export function resumingJobs(which: Which<JobKey>, options: ResumeOptions): PortionedMoves {
  const stays = stayingPauses(targetsOf('job', which), options);
  const jobs = (tx: NodeTransaction) => jobsOf(tx, which);
  return {
    ...forgetting(targetsOf('job', which), options),
    sources: [portionsOfJobs(jobs, PAUSED_STATES)],
    begin: async (tx) => groupsOf(await jobs(tx)),
    async move(tx, keys) {
      const touched = await resumeUnless(tx, keys, stays, options);
      await forgetEnded(tx, { targets: [], keys: touched.keys, jobs: touched.jobs });
      return { ...NOTHING, earliest: touched.earliest };
    },
  };
}

type StayingPauses = ReturnType<typeof staysWhenResumed>;

function stayingPauses(targets: readonly PauseTarget[], { keepsSingle, now }: ResumeOptions): StayingPauses {
  return keepsSingle === true ? staysWhenResumed(targets, now) : () => false;
}

/** Predicate for groups of triggers that one of the pauses covers. */
function matchesAny(pauses: readonly ExplainedPause[]): (group: string) => boolean {
  const matchers = pauses.flatMap(({ target }) =>
    target.kind === 'triggers' && 'matcher' in target ? [target.matcher] : [],
  );
  return (group) => matchers.some((matcher) => matchesGroup(matcher, group));
}

/** Resumes triggers, except those that a staying pause covers. Returns the keys and jobs of the resumed triggers. */
async function resumeUnless(
  tx: NodeTransaction,
  keys: readonly TriggerKey[],
  stays: StayingPauses,
  options: ResumeOptions,
) {
  if (options.keepsSingle !== true) return { ...(await resume(tx, keys, options)), keys };
  const rows = await selectTriggerRows(tx, keys);
  const triggers = rows.map((row) => pausedTriggerIn(row, tx.node));
  const isHeld = heldBy((await selectPausesOf(tx, triggers)).filter(stays));
  const free = triggers.filter((trigger) => !isHeld(trigger)).map(({ key }) => key);
  return { ...(await resume(tx, free, options)), keys: free };
}

/** Further runs of the triggers in these groups, even of deleted triggers. Reads all keys once, after the triggers, so that none is missed. */
function runsOfGroups(
  matcher: GroupMatcher,
  isSelected: Parameters<typeof keysOf>[1],
): TriggerPortions<readonly TriggerKey[]> {
  return async (tx, place, take) => {
    const keys = place ?? keysOf(await selectRunsOf(tx, matcher, null), isSelected);
    return { keys: keys.slice(0, take), next: keys.length > take ? keys.slice(take) : null };
  };
}

/** Step that deletes the explanations of pauses that `targets` cover, including pauses of ended triggers. Those given after `now` remain. */
function forgetting(targets: readonly PauseTarget[], options: ResumeOptions): Pick<PortionedMoves, 'forget'> {
  const { now } = options;
  const isEnded = endedBy(targets, new Set());
  const stays = stayingPauses(targets, options);
  const isOver = (pause: ExplainedPause) => isEnded(pause) && !stays(pause);
  return {
    async forget(tx, after) {
      const place = after === null ? {} : { after };
      const { items, next } = await pagePauses(tx, { ...place, take: PAUSES_AT_ONCE });
      const ended = items.filter((each) => isOver(each) && each.since <= now).map(({ target }) => target);
      await forgetPauses(tx, ended);
      return next;
    },
  };
}
