import type { Start } from '../../cluster/support/history';
import type { Load } from '../../cluster/support/workload';
import { describeStart, EARLY_TOLERANCE, endOf, executionOf, type Facts, firingOf } from './facts';

/** Checks of retries of jobs that fail on purpose. */
export interface Retries {
  readonly retried: number;
  readonly deadLetters: number;
  /** Attempts that began twice although no node died with them. */
  readonly twice: readonly string[];
  /** Retries that do not follow a failed and completed attempt of the same fire time. */
  readonly needless: readonly string[];
  /** Retries that began before their delay had passed. */
  readonly early: readonly string[];
  /** Failed attempts without a retry, or without a dead letter after the last attempt. */
  readonly missing: readonly string[];
  /** Dead letters of runs that are not a failed last attempt. */
  readonly wronglyDead: readonly string[];
}

const PREFIX = 'retry_';
const DEFERRED_PREFIX = 'deferred_';
const triggerOf = ({ id }: Start) => `${PREFIX}${id}`;
const retryOf = ({ retry = 0 }: Start) => retry;

/** Checks that each failed attempt is followed by one retry or dead letter. Attempts of dead nodes are checked as recoveries. */
export function judgeRetries(facts: Facts): Retries {
  const loads = new Map(facts.expected.map(({ job, load }) => [job, load]));
  const failingOf = ({ job }: Start) => (loads.get(job) as Load | undefined)?.failing;
  const starts = new Map(facts.starts.map((start) => [start.id, start]));
  const { retries, deadLetters = new Set<string>() } = facts;
  const plannedTriggerOf = plannedIn(facts);
  const previousOf = (start: Start) => starts.get(plannedTriggerOf(start).slice(PREFIX.length));
  const failed = facts.starts.filter((start) => failingOf(start) !== undefined && hasFailed(facts, start));
  const isLast = (start: Start) => retryOf(start) === failingOf(start)?.retries;
  const isFollowed = followedIn(facts, triggerOf);
  const isLost = lostIn(facts);
  const isRecovered = followedIn(facts, ({ id }) => `recover_${id}`);
  return {
    retried: retries.length,
    deadLetters: deadLetters.size,
    twice: begunTwice(retries),
    needless: retries
      .filter((start) => !follows(facts, { ...start, trigger: plannedTriggerOf(start) }, previousOf(start)))
      .map(describeStart),
    early: retries
      .filter((start) => isEarly(facts, start, previousOf(start), failingOf(start)?.delay))
      .map(describeStart),
    missing: failed
      .filter(({ id }) => facts.done.has(id))
      .filter((start) => !(facts.givenUp.has(start.id) && isRecovered(start)))
      .filter((start) => (isLast(start) ? !deadLetters.has(start.id) : !isFollowed(start)))
      .map(describeStart),
    wronglyDead: [...deadLetters]
      .filter((id) => !failed.some((start) => start.id === id && isLast(start)))
      .filter((id) => !isLost(id)),
  };
}

/** Returns true if the run failed and its completion was not refused. */
function hasFailed({ ends, refused }: Facts, start: Start): boolean {
  return ends.get(executionOf(start))?.failed === true && !refused.has(start.id);
}

function begunTwice(retries: readonly Start[]): readonly string[] {
  const seen = new Set<string>();
  return retries
    .filter((start) => {
      const attempt = `${firingOf(start.origin, start.time)} ${retryOf(start)}`;
      return seen.has(attempt) || !seen.add(attempt);
    })
    .map(describeStart);
}

function follows(facts: Facts, start: Start, previous: Start | undefined): boolean {
  if (previous === undefined || start.trigger !== triggerOf(previous)) return false;
  const isNext = retryOf(start) === retryOf(previous) + 1;
  return isNext && start.origin === previous.origin && start.time === previous.time && hasFailed(facts, previous);
}

/** Returns true if a retry began too early. The tolerance is doubled, because the clocks of both nodes may be wrong. */
function isEarly(facts: Facts, start: Start, previous: Start | undefined, delay = 0): boolean {
  const { earlyTolerance = EARLY_TOLERANCE } = facts;
  return previous !== undefined && start.mono < endOf(facts, previous) + delay - 2 * earlyTolerance;
}

/** Returns the planned trigger of an attempt. A deferred attempt begins with another trigger, which names the original firing. */
function plannedIn({ audit }: Facts): (start: Start) => string {
  const triggers = new Map(audit.map(({ entryId, triggerName }) => [entryId, triggerName]));
  return ({ trigger }) => {
    let planned = trigger;
    while (planned.startsWith(DEFERRED_PREFIX)) planned = triggers.get(planned.slice(DEFERRED_PREFIX.length)) ?? '';
    return planned;
  };
}

/** Returns true for a run that was lost with its node. A lost one-off without a recovery is a dead letter. */
function lostIn({ audit, done, nodesOf, isGone }: Facts): (id: string) => boolean {
  const ofGone = audit.filter(({ instanceName }) => nodesOf(instanceName).some(isGone));
  const ids = new Set(ofGone.map(({ entryId }) => entryId));
  return (id) => ids.has(id) && !done.has(id);
}

/** Returns true if a run of the next trigger follows, or a firing of it was lost with its node before it began. */
function followedIn(facts: Facts, triggerOf: (start: Start) => string): (start: Start) => boolean {
  const { starts, audit, nodesOf, isGone } = facts;
  const begun = new Set(starts.map(plannedIn(facts)));
  const taken = new Set(
    audit
      .filter(({ op, instanceName }) => op === 'D' && nodesOf(instanceName).some(isGone))
      .map(({ triggerName }) => triggerName),
  );
  return (start) => begun.has(triggerOf(start)) || taken.has(triggerOf(start));
}
