import type { Start } from '../../cluster/support/history';
import { describeStart, endOf, executionOf, type Facts, grouped } from './facts';

/** The default of `maxRecoveryAttempts`. */
const MAX_ATTEMPTS = 3;
/** Tolerance for a firing that begins while its node is fenced. Milliseconds. */
const FENCING_SLACK = 1_000;

/** Checks of executions whose node died or lost its lease before they were completed. */
export interface Recoveries {
  readonly owed: number;
  readonly missing: readonly string[];
  readonly twice: readonly string[];
  /** Recoveries of jobs that do not request them, of completed firings, or of live nodes. */
  readonly needless: readonly string[];
  /** Milliseconds from the end of an execution to the start of its recovery. */
  readonly delays: readonly number[];
  /** Executions of live nodes that were never completed. */
  readonly neverCompleted: readonly string[];
}

const attemptOf = ({ recovers, attempt }: Start) => (recovers === null ? 0 : (attempt ?? 1));
const firingOf = ({ recovers, id }: Start) => recovers ?? id;
const keyOf = (firing: string, attempt: number) => `${firing} attempt ${attempt}`;

/** Checks that an interrupted run with `requestsRecovery` is recovered exactly once for each interruption. */
export function judgeRecoveries(facts: Facts): Recoveries {
  const asking = new Set(facts.expected.filter(({ load }) => load.recovers).map(({ job }) => job));
  const again = grouped(facts.recovering, firingOf);
  const unfinished = facts.starts.filter(({ id }) => !facts.done.has(id));
  const cut = unfinished.filter((start) => wasCutShort(facts, start));
  const owed = cut.filter(
    (start) => asking.has(start.job) && attemptOf(start) < MAX_ATTEMPTS && !mayBeStored(facts, start),
  );
  // A recovery that was lost before it began has no line, so the next one counts for both.
  const successorOf = (start: Start) =>
    again
      .get(firingOf(start))
      ?.filter((each) => attemptOf(each) > attemptOf(start))
      .reduce<Start | undefined>(
        (first, each) => (first && attemptOf(first) < attemptOf(each) ? first : each),
        undefined,
      );
  return {
    owed: owed.length,
    missing: owed.filter((start) => successorOf(start) === undefined).map(describeStart),
    twice: begunTwice(facts),
    needless: facts.recovering.filter((start) => isNeedless(facts, asking, start)).map(describeStart),
    delays: owed.flatMap((start) => {
      const successor = successorOf(start);
      return successor === undefined ? [] : [Math.max(0, successor.mono - endOf(facts, start))];
    }),
    neverCompleted: unfinished.filter((start) => !wasCutShort(facts, start)).map(describeStart),
  };
}

/** Returns true if the process died or lost its lease during the run, or while it read the checkpoint before the run. */
function wasCutShort({ killed, fenced, fencings, stoppedBefore }: Facts, { node, mono, id }: Start): boolean {
  if (killed.has(node) || (fenced !== 'all' && fenced.has(node))) return true;
  return fencings.get(node)?.some((at) => stoppedBefore.has(id) || at > mono - FENCING_SLACK) ?? false;
}

/**
 * Returns true if the run ended and its completion may be stored although it was not reported: because the node died, or because the response was
 * lost and the node was fenced, so that it considered the completed row as recovered by another node.
 */
function mayBeStored(facts: Facts, start: Start): boolean {
  if (!facts.ends.has(executionOf(start))) return false;
  if (!facts.refused.has(start.id)) return true;
  const ended = endOf(facts, start);
  const fencedNext = facts.fencings.get(start.node)?.find((at) => at > start.mono);
  return fencedNext !== undefined && ended < fencedNext;
}

function begunTwice({ recovering }: Facts): readonly string[] {
  const seen = new Set<string>();
  return recovering
    .filter((start) => {
      const key = keyOf(firingOf(start), attemptOf(start));
      return seen.has(key) || !seen.add(key);
    })
    .map(describeStart);
}

function isNeedless(
  { audit, nodesOf, isGone, done, refused, givenUp }: Facts,
  asking: ReadonlySet<string>,
  start: Start,
): boolean {
  if (!asking.has(start.job)) return true;
  const original = start.recovers as string;
  const isEnded = done.has(original) && !refused.has(original) && !givenUp.has(original);
  if (attemptOf(start) === 1 && isEnded) return true;
  const owner = audit.find(({ entryId }) => entryId === original)?.instanceName;
  return owner === undefined || !nodesOf(owner).some(isGone);
}
