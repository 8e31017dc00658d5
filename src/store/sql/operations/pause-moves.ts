import { type GroupMatcher, groupsOf, type JobKey, matchesGroup, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { endedBy, type PauseExplanation, type PauseTarget, targetsOf } from '../../../domain/pause';
import { ACTIVE_STATES, PAUSED_STATES } from '../../../domain/trigger-state';
import { ALL_GROUPS_PAUSED, type ApplyOptions, isKeys, type Which } from '../../job-store';
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
import { forgetEnded, forgetPauses, pagePauses, selectPausesOfTargets, storeExplanation } from './pauses';
import { selectRunsOf } from './runs-of-triggers';
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

export function resumingTriggers(which: Which<TriggerKey>, options: ApplyOptions): PortionedMoves {
  if (!isKeys(which)) return resumingGroups(which, options);
  return {
    ...NOTHING_SAID,
    begin: async () => [],
    sources: [portionsOfKeys(which)],
    move: (tx, keys) => resumeTriggers(tx, keys, options),
  };
}

function resumingGroups(matcher: GroupMatcher, options: ApplyOptions): PortionedMoves {
  const targets = targetsOf('trigger', matcher);
  const isSelected = (group: string) => matchesGroup(matcher, group);
  return {
    ...forgetting(targets, options),
    sources: [portionsOfGroups(matcher, isSelected, PAUSED_STATES), runsOfGroups(matcher, isPaused)],
    async begin(tx) {
      const paused = [...(await selectPausedGroups(tx))].filter((group) => isResumedBy(matcher, group));
      await deletePausedGroups(tx, paused);
      const isOver = endedBy(targets, new Set());
      const ended = (await selectPausesOfTargets(tx, [])).filter(isOver).map(({ target }) => target);
      await forgetPauses(tx, ended);
      const present = await selectTriggerGroups(tx, matcher);
      return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
    },
    async move(tx, keys) {
      const paused = await selectPausedGroups(tx);
      const selected = keys.filter(({ group }) => !paused.has(group));
      const { earliest, jobs } = await resume(tx, selected, options);
      await forgetEnded(tx, { targets: targetsOf('trigger', selected), keys: selected, jobs });
      return { ...NOTHING, earliest };
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

export function resumingJobs(which: Which<JobKey>, options: ApplyOptions): PortionedMoves {
  const jobs = (tx: NodeTransaction) => jobsOf(tx, which);
  return {
    ...forgetting(targetsOf('job', which), options),
    sources: [portionsOfJobs(jobs, PAUSED_STATES)],
    begin: async (tx) => groupsOf(await jobs(tx)),
    async move(tx, keys) {
      const touched = await resume(tx, keys, options);
      await forgetEnded(tx, { targets: [], keys, jobs: touched.jobs });
      return { ...NOTHING, earliest: touched.earliest };
    },
  };
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
function forgetting(targets: readonly PauseTarget[], { now }: ApplyOptions): Pick<PortionedMoves, 'forget'> {
  const isOver = endedBy(targets, new Set());
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
