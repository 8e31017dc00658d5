import type { Clock, EpochMs } from '../../../base/clock';
import { SchedulerError, StoreClosedError, toError } from '../../../base/errors';
import { PortionBreaks } from '../../../base/portion-breaks';
import { type GroupMatcher, groupsOf, type JobKey, type TriggerKey } from '../../../domain/keys';
import { isGroupOfFurtherRuns } from '../../../domain/occurrence';
import { endedBy, type PauseExplanation, type PauseTarget, pauseText, targetsOf } from '../../../domain/pause';
import { ALL_GROUPS_PAUSED, type ApplyOptions, isKeys, type Which } from '../../job-store';
import { jobKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { Work } from '../runtime/transactions';
import {
  canBePaused,
  type GroupsTouched,
  holdsRuns,
  isPaused,
  isResumedBy,
  jobsOf,
  keysOf,
  pausableGroups,
  pause,
  pauseJobs,
  pauseTriggers,
  rememberPaused,
  resume,
  resumeJobs,
  resumeTriggers,
  triggersOfGroups,
  triggersOfJobs,
} from './pause-and-resume';
import { deletePausedGroups, isGroupPaused, selectPausedGroups, selectTriggerGroups } from './paused-groups';
import { forgetEnded, forgetPauses, say, selectPauses, selectPausesOfTargets } from './pauses';
import { jobsOfAll, selectRunsOf } from './runs-of-triggers';

/*
 * Groups and jobs may have very many triggers: more than MAX_MOVED are paused or resumed in several transactions, between which others have
 * the lock. The first one notes the pause (or its end), so that what is added from then on starts as it should; the triggers are listed
 * after it, without the lock; then they follow. A portion leaves out triggers whose group was resumed (or paused) again by then.
 */

/** Triggers that are moved in one transaction: some 20 ms of the lock. */
export const MAX_MOVED = 500;

/** A change of the states of many triggers. */
export interface ManyMoves {
  /** The triggers that it would move now. Reads only. */
  readonly list: Work<readonly TriggerKey[]>;
  /** Does everything in one transaction. */
  readonly whole: Work<GroupsTouched>;
  /** Notes the change, and returns the groups that it touches. */
  readonly begin: Work<readonly string[]>;
  /** Moves some of the triggers. When the first of them fires earlier because of it; undefined: none does. */
  readonly move: (tx: SqlTransaction, keys: readonly TriggerKey[]) => Promise<EpochMs | undefined>;
  /** The explained pauses that are over when all triggers have been moved. Reads only. */
  readonly over: Work<readonly PauseTarget[]>;
  /** Forgets some of them, unless they have been explained anew. */
  readonly forget: (tx: SqlTransaction, targets: readonly PauseTarget[]) => Promise<unknown>;
}

/** One that is never divided: its triggers are named. */
export type AtOnce = Pick<ManyMoves, 'whole'>;

export interface PortionRunner {
  readonly read: <T>(work: Work<T>) => Promise<T>;
  /** `pausesLong`: it may concern very many groups. */
  readonly write: <T>(work: Work<T>, options?: { readonly pausesLong: boolean }) => Promise<T>;
  /** Called after each transaction with the fire time that it brought within reach. */
  readonly announce: (earliest: EpochMs | undefined) => void;
  readonly clock: Clock;
  /** No further portion begins when it has aborted: the store closes. */
  readonly closing: AbortSignal;
}

/** Returns the groups. Rejects with how many triggers have been moved, and stay so, when a later portion fails. */
export async function moveInPortions(moves: ManyMoves | AtOnce, runner: PortionRunner): Promise<readonly string[]> {
  const { read, write, announce, clock, closing } = runner;
  if (!('list' in moves) || (await read(moves.list)).length <= MAX_MOVED) {
    const { groups, earliest } = await write(moves.whole, { pausesLong: true });
    announce(earliest);
    return groups;
  }
  const groups = await write(moves.begin, { pausesLong: true });
  const keys = await read(moves.list);
  const breaks = new PortionBreaks(clock);
  let moved = 0;
  try {
    for (const portion of portionsIn(keys)) {
      if (!(await breaks.end(closing))) throw new StoreClosedError();
      breaks.begin();
      announce(await write((tx) => moves.move(tx, portion)));
      moved += portion.length;
    }
    for (const portion of portionsIn(await read(moves.over))) await write((tx) => moves.forget(tx, portion));
  } catch (thrown) {
    throw partlyMoved(thrown, moved, keys.length);
  }
  return groups;
}

function* portionsIn<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let first = 0; first < all.length; first += MAX_MOVED) yield all.slice(first, first + MAX_MOVED);
}

function partlyMoved(thrown: unknown, moved: number, total: number): Error {
  const error = toError(thrown);
  const code = error instanceof SchedulerError ? error.code : 'STORE_FAILURE';
  const message = `${error.message} ${moved} of ${total} triggers have been paused or resumed before, in portions, and stay so. Call it again for the others.`;
  return new SchedulerError(code, message, { cause: error });
}

const NOTHING_OVER = { over: async () => [], forget: async () => 0 };

/** As `pauseTriggers`. */
export function pausingTriggers(
  node: SqlNode,
  which: Which<TriggerKey>,
  explanation: PauseExplanation | null,
): ManyMoves | AtOnce {
  const whole: AtOnce['whole'] = async (tx) => ({
    groups: await pauseTriggers(tx, node, which, explanation),
    earliest: undefined,
  });
  return isKeys(which) ? { whole } : { whole, ...pausingGroups(node, which, explanation) };
}

function pausingGroups(
  node: SqlNode,
  matcher: GroupMatcher,
  explanation: PauseExplanation | null,
): Omit<ManyMoves, 'whole'> {
  const withRuns = holdsRuns(explanation);
  const groupsIn = (tx: SqlTransaction) =>
    matcher.operator === 'equals' ? [matcher.value] : pausableGroups(tx, node, matcher);
  return {
    ...NOTHING_OVER,
    async list(tx) {
      const runs = withRuns ? await selectRunsOf(tx, node, matcher, null) : [];
      return keysOf([...(await triggersOfGroups(tx, node, await groupsIn(tx))), ...runs], canBePaused);
    },
    async begin(tx) {
      const groups = await groupsIn(tx);
      await rememberPaused(tx, node, matcher, groups);
      const meant = targetsOf('trigger', matcher);
      await say(tx, node, { explanation, meant, before: meant });
      return groups;
    },
    async move(tx, keys) {
      const paused = await selectPausedGroups(tx, node);
      const isStill = ({ group }: TriggerKey) => isGroupOfFurtherRuns(group) || isGroupPaused(paused, group);
      const meant = keys.filter(isStill);
      const rows = await pause(tx, node, meant);
      if (!withRuns) return undefined;
      // A run that was stored since the list was made was not held, because its trigger was not paused yet.
      const runs = await selectRunsOf(tx, node, meant, jobsOfAll(meant, rows.map(jobKeyOf)));
      await pause(tx, node, keysOf(runs, canBePaused));
      return undefined;
    },
  };
}

/** As `resumeTriggers`. */
export function resumingTriggers(node: SqlNode, which: Which<TriggerKey>, options: ApplyOptions): ManyMoves | AtOnce {
  const whole: AtOnce['whole'] = (tx) => resumeTriggers(tx, node, which, options);
  return isKeys(which) ? { whole } : { whole, ...resumingGroups(node, which, options) };
}

function resumingGroups(node: SqlNode, matcher: GroupMatcher, options: ApplyOptions): Omit<ManyMoves, 'whole'> {
  const targets = targetsOf('trigger', matcher);
  return {
    ...forgetting(node, targets, options),
    async list(tx) {
      const present = await selectTriggerGroups(tx, node, matcher);
      const runs = await selectRunsOf(tx, node, matcher, null);
      return keysOf([...(await triggersOfGroups(tx, node, present)), ...runs], isPaused);
    },
    async begin(tx) {
      const paused = [...(await selectPausedGroups(tx, node))].filter((group) => isResumedBy(matcher, group));
      await deletePausedGroups(tx, node, paused);
      const isOver = endedBy(targets, new Set());
      const ofGroups = (await selectPausesOfTargets(tx, node, [])).filter(isOver);
      await forgetPauses(
        tx,
        node,
        ofGroups.map(({ target }) => target),
      );
      const present = await selectTriggerGroups(tx, node, matcher);
      return [...new Set([...present, ...paused])].filter((group) => group !== ALL_GROUPS_PAUSED).sort();
    },
    async move(tx, keys) {
      const paused = await selectPausedGroups(tx, node);
      const meant = keys.filter(({ group }) => !isGroupPaused(paused, group));
      return (await resumeTriggers(tx, node, meant, options)).earliest;
    },
  };
}

/** As `pauseJobs`. */
export function pausingJobs(node: SqlNode, which: Which<JobKey>, explanation: PauseExplanation | null): ManyMoves {
  const isMeant = (group: string) => holdsRuns(explanation) || !isGroupOfFurtherRuns(group);
  return {
    ...NOTHING_OVER,
    async list(tx) {
      const triggers = await triggersOfJobs(tx, node, await jobsOf(tx, node, which));
      return keysOf(triggers, (row) => canBePaused(row) && isMeant(row.TRIGGER_GROUP));
    },
    whole: async (tx) => ({ groups: await pauseJobs(tx, node, which, explanation), earliest: undefined }),
    async begin(tx) {
      const jobs = await jobsOf(tx, node, which);
      const meant = targetsOf('job', isKeys(which) ? jobs : which);
      await say(tx, node, { explanation, meant, before: meant });
      return groupsOf(jobs);
    },
    async move(tx, keys) {
      await pause(tx, node, keys);
      return undefined;
    },
  };
}

/** As `resumeJobs`. */
export function resumingJobs(node: SqlNode, which: Which<JobKey>, options: ApplyOptions): ManyMoves {
  return {
    ...forgetting(node, targetsOf('job', which), options),
    list: async (tx) => keysOf(await triggersOfJobs(tx, node, await jobsOf(tx, node, which)), isPaused),
    whole: (tx) => resumeJobs(tx, node, which, options),
    begin: async (tx) => groupsOf(await jobsOf(tx, node, which)),
    async move(tx, keys) {
      const { earliest, jobs } = await resume(tx, node, keys, options);
      await forgetEnded(tx, node, { targets: [], keys, jobs });
      return earliest;
    },
  };
}

/** Forgets the explanations of pauses within the groups too, such as of triggers that have ended, but none that were given since. */
function forgetting(
  node: SqlNode,
  targets: readonly PauseTarget[],
  { now }: ApplyOptions,
): Pick<ManyMoves, 'over' | 'forget'> {
  const isOver = endedBy(targets, new Set());
  const endedIn = (pauses: Awaited<ReturnType<typeof selectPauses>>) =>
    pauses.filter((each) => isOver(each) && each.since <= now).map(({ target }) => target);
  return {
    over: async (tx: SqlTransaction) => endedIn(await selectPauses(tx, node)),
    async forget(tx: SqlTransaction, some: readonly PauseTarget[]) {
      const meant = new Set(some.map((target) => pauseText(target)));
      const found = endedIn(await selectPausesOfTargets(tx, node, some));
      return forgetPauses(
        tx,
        node,
        found.filter((target) => meant.has(pauseText(target))),
      );
    },
  };
}
