import type { Clock, EpochMs } from '../../../base/clock';
import { addAll } from '../../../base/lists';
import { PortionBreaks } from '../../../base/portion-breaks';
import { PortionSize } from '../../../base/portion-size';
import { distinctKeys, type GroupMatcher, type JobKey, type TriggerKey } from '../../../domain/keys';
import { type ExplainedPause, elapsedPauses, heldBy, type PauseTarget, pauseText } from '../../../domain/pause';
import type { ApplyOptions } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import type { TriggerRow } from '../rows/rows';
import { StaleRead } from '../runtime/retry-rules';
import { isPaused, isResumedBy, keysOf, resumeRows, triggersOfGroups, triggersOfJobs } from './pause-and-resume';
import {
  deletePausedGroups,
  EVERY_GROUP,
  isGroupPaused,
  selectJobGroups,
  selectPausedGroups,
  selectTriggerGroups,
} from './paused-groups';
import { forgetPauses, selectPausesOf, selectPausesOfTargets } from './pauses';
import { pausedTriggerIn, selectRunsOfAny } from './runs-of-triggers';
import { selectJobKeys, selectTriggerRows } from './select-definitions';

/** Maximum number of pauses that end in one transaction. */
const MAX_PAUSES = 500;

export interface EndingPauses {
  readonly targets: readonly PauseTarget[];
  /** Triggers that earlier portions have not processed; null for the first portion, which looks up the triggers of the pauses. */
  readonly left: readonly TriggerKey[] | null;
  readonly take: number;
}

interface EndedPortion {
  /** Number of triggers that this transaction has processed. */
  readonly done: number;
  /** Pauses that have ended. Empty until the last portion. */
  readonly ended: readonly ExplainedPause[];
  readonly left: readonly TriggerKey[];
  /** Earliest fire time of the triggers that became eligible to fire; undefined if there are none. */
  readonly earliest: EpochMs | undefined;
}

/** Ends pauses in portions until all have ended or `signal` aborts. Each portion is a transaction (`end`); the lock is free between two of them. */
export async function endInPortions(
  over: readonly ExplainedPause[],
  end: (ending: EndingPauses) => Promise<EndedPortion>,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly ExplainedPause[]> {
  const breaks = new PortionBreaks(clock);
  const size = new PortionSize(clock);
  const ended: ExplainedPause[] = [];
  for (let first = 0; first < over.length; first += MAX_PAUSES) {
    const targets = targetsIn(over.slice(first, first + MAX_PAUSES));
    let left: readonly TriggerKey[] | null = null;
    do {
      breaks.begin();
      const rest: readonly TriggerKey[] | null = left;
      const portion: EndedPortion = await size.measure(() => end({ targets, left: rest, take: size.size }));
      addAll(ended, portion.ended);
      left = portion.left;
      if (!(await breaks.end(signal))) return ended;
    } while (left.length > 0);
  }
  return ended;
}

/**
 * Resumes the next `take` triggers of elapsed pauses. Skips a trigger that another pause still covers. The last portion ends the pauses. The
 * number of statements does not depend on the number of triggers. If a node stops between two portions, the pauses remain stored, and the next
 * node starts over.
 */
export async function endPauses(
  tx: NodeTransaction,
  { targets, left, take }: EndingPauses,
  options: ApplyOptions,
): Promise<EndedPortion> {
  const known = await selectPausesOfTargets(tx, targets);
  const { over, standing } = elapsedPauses(known, options.now);
  const wanted = new Set(targets.map(pauseText));
  // Another node may have ended some of the pauses, or a user may have extended them.
  const ending = over.filter(({ target }) => wanted.has(pauseText(target)));
  const paused = await selectPausedGroups(tx);
  const stay = stayPaused(paused, ending, standing);
  const keys = left ?? (await keysPausedBy(tx, targetsIn(ending)));
  const some = keys.slice(0, take);
  const earliest = await resumeUnheld(tx, { keys: some, paused: stay }, options);
  const rest = keys.slice(take);
  const done = some.length;
  if (rest.length > 0) return { ended: [], left: rest, earliest, done };
  const resumed = [...paused].filter((group) => !stay.has(group));
  await deletePausedGroups(tx, resumed);
  const found = targetsIn(ending);
  // The lock prevents other nodes from ending these pauses.
  if ((await forgetPauses(tx, found)) !== found.length) throw new StaleRead('deletePauses');
  return { ended: ending, left: [], earliest, done };
}

const targetsIn = (pauses: readonly ExplainedPause[]) => pauses.map(({ target }) => target);

/** Returns the paused groups that stay paused after the pauses in `ending` have ended. */
function stayPaused(
  paused: ReadonlySet<string>,
  ending: readonly ExplainedPause[],
  standing: readonly ExplainedPause[],
): ReadonlySet<string> {
  const isOver = isResumedByAny(matchersOf('triggers', targetsIn(ending)));
  const isHeld = isResumedByAny(matchersOf('triggers', targetsIn(standing)));
  return new Set([...paused].filter((group) => !isOver(group) || isHeld(group)));
}

function isResumedByAny(matchers: readonly GroupMatcher[]): (group: string) => boolean {
  return (group) => matchers.some((matcher) => isResumedBy(matcher, group));
}

function matchersOf(kind: 'triggers' | 'jobs', targets: readonly PauseTarget[]): readonly GroupMatcher[] {
  return targets.flatMap((target) => (target.kind === kind && 'matcher' in target ? [target.matcher] : []));
}

async function resumeUnheld(
  tx: NodeTransaction,
  { keys, paused }: { readonly keys: readonly TriggerKey[]; readonly paused: ReadonlySet<string> },
  options: ApplyOptions,
): Promise<EpochMs | undefined> {
  const rows = await selectTriggerRows(tx, keys);
  if (rows.length === 0) return undefined;
  const toPausedTrigger = (row: TriggerRow) => pausedTriggerIn(row, tx.node);
  const { standing } = elapsedPauses(await selectPausesOf(tx, rows.map(toPausedTrigger)), options.now);
  const isHeld = heldBy(standing);
  const free = rows.filter((row) => {
    const trigger = toPausedTrigger(row);
    return !isGroupPaused(paused, (trigger.of ?? trigger.key).group) && !isHeld(trigger);
  });
  return resumeRows(tx, free, options);
}

async function keysPausedBy(tx: NodeTransaction, targets: readonly PauseTarget[]) {
  const named = targets.flatMap((target) => (target.kind === 'trigger' ? [target.key] : []));
  const jobs = targets.flatMap((target) => (target.kind === 'job' ? [target.key] : []));
  const matchers = matchersOf('triggers', targets);
  const [ofGroups, ofJobs, runs] = await Promise.all([
    pausedInGroups(tx, matchers),
    pausedOfJobs(tx, { jobs, matchers: matchersOf('jobs', targets) }),
    named.length + matchers.length === 0 ? [] : selectRunsOfAny(tx, [named, ...matchers]),
  ]);
  return distinctKeys([...named, ...ofGroups, ...ofJobs, ...keysOf(runs, isPaused)]);
}

async function pausedInGroups(tx: NodeTransaction, matchers: readonly GroupMatcher[]) {
  if (matchers.length === 0) return [];
  const groups = await selectTriggerGroups(tx, EVERY_GROUP);
  const selected = groups.filter(isResumedByAny(matchers));
  return keysOf(await triggersOfGroups(tx, selected), isPaused);
}

async function pausedOfJobs(
  tx: NodeTransaction,
  { jobs, matchers }: { readonly jobs: readonly JobKey[]; readonly matchers: readonly GroupMatcher[] },
) {
  const groups = matchers.length === 0 ? [] : await selectJobGroups(tx, EVERY_GROUP);
  const selected = groups.filter(isResumedByAny(matchers));
  const found = selected.length === 0 ? [] : await selectJobKeys(tx, 'selectJobsOfGroups', selected);
  return keysOf(await triggersOfJobs(tx, distinctKeys([...jobs, ...found])), isPaused);
}
