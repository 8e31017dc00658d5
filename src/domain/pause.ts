import { type EpochMs, earliestOf } from '../base/clock';
import { type GroupMatcher, type JobKey, keyText, matchesGroup, sameKey, type TriggerKey } from './keys';
import { isGroupOfFurtherRuns, occurrenceOfTrigger } from './occurrence';
import type { Trigger } from './trigger';
import { isHalted, isPaused, type TriggerState } from './trigger-state';

/** Target of a pause: a trigger, a job with all its triggers, or groups of triggers or jobs. */
export type PauseTarget =
  | { readonly kind: 'trigger'; readonly key: TriggerKey }
  | { readonly kind: 'job'; readonly key: JobKey }
  | { readonly kind: 'triggers'; readonly matcher: GroupMatcher }
  | { readonly kind: 'jobs'; readonly matcher: GroupMatcher };

export interface PauseExplanation {
  /** Reason; null if not given. */
  readonly reason: string | null;
  /** User who paused the target; null if not given. */
  readonly by: string | null;
  readonly since: EpochMs;
  /** Time at which the pause ends automatically; null if it ends only when the target is resumed. */
  readonly until: EpochMs | null;
  /** False if waiting runs of earlier occurrences, such as retries, continue during the pause. Absent: the pause also applies to them. */
  readonly holdsRetries?: boolean;
}

export interface ExplainedPause extends PauseExplanation {
  readonly target: PauseTarget;
}

export interface PausedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  /** Original trigger whose occurrence this trigger runs. Absent if this trigger runs its own occurrences. */
  readonly of?: TriggerKey;
}

/** Returns the fields that determine which pauses apply to a trigger. For a retry or another further run, they include the original trigger. */
export function pausedTriggerOf({ key, jobKey, data }: Pick<Trigger, 'key' | 'jobKey' | 'data'>): PausedTrigger {
  const of = originOfRun({ key, data });
  return of === null ? { key, jobKey } : { key, jobKey, of };
}

/** Returns the original trigger of a further run, such as a retry or part (shard). Null if the trigger runs its own occurrences. */
export function originOfRun(trigger: Pick<Trigger, 'key' | 'data'>): TriggerKey | null {
  if (!isGroupOfFurtherRuns(trigger.key.group)) return null;
  const { triggerKey } = occurrenceOfTrigger(trigger);
  return sameKey(triggerKey, trigger.key) ? null : triggerKey;
}

/** Returns a predicate for original triggers. It is true if the trigger is one of the given keys, or if its group matches. */
export function runsOf(which: GroupMatcher | readonly TriggerKey[]): (origin: TriggerKey) => boolean {
  if ('operator' in which) return ({ group }) => matchesGroup(which, group);
  const keys = new Set(which.map(keyText));
  return (origin) => keys.has(keyText(origin));
}

/** True if a further run must wait for its original trigger, whose `state` is null if deleted. A finished trigger is paused only by its group. */
export function isRunHeld(
  origin: PausedTrigger,
  state: TriggerState | null,
  { isGroupPaused, pauses }: { readonly isGroupPaused: boolean; readonly pauses: readonly ExplainedPause[] },
): boolean {
  if (pauseOf(origin, pauses)?.holdsRetries === false) return false;
  if (state === null || isHalted(state)) return isGroupPaused;
  return isPaused(state);
}

/** Position of a pause in a sorted list: the kind of its target, then group and name of its key, or value and operator of its group matcher. */
export type PausePlace = readonly [kind: PauseTarget['kind'], group: string, name: string];

export function placeOfPause(target: PauseTarget): PausePlace {
  if ('key' in target) return [target.kind, target.key.group, target.key.name];
  return [target.kind, target.matcher.value, target.matcher.operator];
}

export function pauseAt([kind, group, name]: PausePlace): PauseTarget {
  if (kind === 'trigger' || kind === 'job') return { kind, key: { group, name } };
  return { kind, matcher: { operator: name as GroupMatcher['operator'], value: group } };
}

/** Returns a string that is unique for the target, for use in maps. */
export function pauseText(target: PauseTarget): string {
  if ('key' in target) return `${target.kind}\u0000${keyText(target.key)}`;
  return `${target.kind}\u0000${target.matcher.value}\u0000${target.matcher.operator}`;
}

function covers(pause: ExplainedPause, { key, jobKey, of }: PausedTrigger): boolean {
  const { target, holdsRetries } = pause;
  if (of !== undefined && holdsRetries === false) return target.kind === 'trigger' && sameKey(target.key, key);
  if (of !== undefined && covers(pause, { key: of, jobKey })) return true;
  switch (target.kind) {
    case 'trigger':
      return sameKey(target.key, key);
    case 'job':
      return sameKey(target.key, jobKey);
    case 'triggers':
      return matchesGroup(target.matcher, key.group);
    case 'jobs':
      return matchesGroup(target.matcher, jobKey.group);
  }
}

const MOST_SPECIFIC_FIRST = ['trigger', 'job', 'triggers', 'jobs'] as const;

/** Returns the pause that explains why a trigger is paused: the most specific, and of several the latest. Null if there is none. */
export function pauseOf(trigger: PausedTrigger, pauses: readonly ExplainedPause[]): ExplainedPause | null {
  const rank = ({ target }: ExplainedPause) => MOST_SPECIFIC_FIRST.indexOf(target.kind);
  const found = pauses.filter((pause) => covers(pause, trigger));
  return found.sort((a, b) => rank(a) - rank(b) || b.since - a.since)[0] ?? null;
}

/** Same results as `pauseOf`, by an index. Create one function for many triggers, so that the total cost is linear. */
export function explainedBy(pauses: readonly ExplainedPause[]): (trigger: PausedTrigger) => ExplainedPause | null {
  const named = new Map(pauses.map((pause) => [pauseText(pause.target), pause]));
  const ofGroups = pauses.filter(({ target }) => isOfGroups(target));
  return (trigger) =>
    pauseOf(trigger, [...targetsThatName(trigger).flatMap((text) => named.get(text) ?? []), ...ofGroups]);
}

/** Returns the strings (`pauseText`) of pauses that target the trigger, its original trigger, or its job by key. */
export function targetsThatName({ key, jobKey, of = key }: PausedTrigger): readonly string[] {
  const targets: PauseTarget[] = [
    { kind: 'trigger', key },
    { kind: 'trigger', key: of },
    { kind: 'job', key: jobKey },
  ];
  return [...new Set(targets.map(pauseText))];
}

/** Predicate for pauses that end when the targets `resumed` and the `triggers` (`keyText`) are resumed. Create one for many pauses: linear cost. */
export function endedBy(
  resumed: readonly PauseTarget[],
  triggers: ReadonlySet<string>,
): (pause: ExplainedPause) => boolean {
  const texts = new Set(resumed.map(pauseText));
  const groups = resumed.filter(isOfGroups);
  return ({ target }) =>
    (target.kind === 'trigger' && triggers.has(keyText(target.key))) ||
    texts.has(pauseText(target)) ||
    groups.some((each) => isWithinGroups(target, each));
}

/**
 * Predicate for active pauses that stay when only `resumed` is resumed: the pauses of narrower targets. Resuming a job keeps pauses of single triggers;
 * resuming groups keeps pauses of single triggers and jobs; a wider matcher keeps pauses of single groups.
 */
export function staysWhenResumed(
  resumed: readonly PauseTarget[],
  now: EpochMs,
): (pause: Pick<ExplainedPause, 'target' | 'until'>) => boolean {
  return ({ target, until }) => (until === null || until > now) && resumed.some((each) => isNarrower(target, each));
}

function isNarrower(target: PauseTarget, resumed: PauseTarget): boolean {
  if ('key' in target) {
    return target.kind === 'trigger' ? resumed.kind !== 'trigger' : 'matcher' in resumed;
  }
  if ('key' in resumed || target.matcher.operator !== 'equals' || resumed.matcher.operator === 'equals') return false;
  const isAll = resumed.kind === 'triggers' && resumed.matcher.operator === 'any';
  return isAll || (target.kind === resumed.kind && matchesGroup(resumed.matcher, target.matcher.value));
}

type GroupTarget = Extract<PauseTarget, { readonly matcher: GroupMatcher }>;

function isOfGroups(target: PauseTarget): target is GroupTarget {
  return 'matcher' in target;
}

function isWithinGroups(target: PauseTarget, resumed: GroupTarget): boolean {
  const { kind, matcher } = resumed;
  if (kind === 'triggers' && matcher.operator === 'any') return true;
  if ('key' in target) return `${target.kind}s` === kind && matchesGroup(matcher, target.key.group);
  const isWithin = target.matcher.operator === 'equals' && matchesGroup(matcher, target.matcher.value);
  return target.kind === kind && (matcher.operator === 'any' || isWithin);
}

/** Splits pauses into expired (`over`) and active ones (`standing`). `nextEnd`: earliest end time of an active pause, or null. */
export function elapsedPauses(pauses: readonly ExplainedPause[], now: EpochMs) {
  const isOver = ({ until }: ExplainedPause) => until !== null && until <= now;
  const standing = pauses.filter((pause) => !isOver(pause));
  return { over: pauses.filter(isOver), standing, nextEnd: earliestOf(standing.map(({ until }) => until)) ?? null };
}

/** Predicate for triggers to which an active pause applies. Create one for many triggers, so that the total cost is linear. */
export function heldBy(standing: readonly ExplainedPause[]): (trigger: PausedTrigger) => boolean {
  const ofGroups = standing.filter(({ target }) => isOfGroups(target));
  const texts = textsOf(standing);
  const holding = textsOf(standing.filter(({ holdsRetries }) => holdsRetries !== false));
  const isNamed = (named: ReadonlySet<string>, key: TriggerKey, jobKey: JobKey) =>
    named.has(pauseText({ kind: 'trigger', key })) || named.has(pauseText({ kind: 'job', key: jobKey }));
  return (trigger) => {
    const { key, jobKey, of } = trigger;
    const isItself = of === undefined ? isNamed(texts, key, jobKey) : texts.has(pauseText({ kind: 'trigger', key }));
    return (
      isItself || (of !== undefined && isNamed(holding, of, jobKey)) || ofGroups.some((pause) => covers(pause, trigger))
    );
  };
}

function textsOf(pauses: readonly ExplainedPause[]): ReadonlySet<string> {
  return new Set(pauses.map(({ target }) => pauseText(target)));
}

/** Returns the pause targets that end when these keys or groups are resumed. */
export function targetsOf(
  kind: 'trigger' | 'job',
  which: GroupMatcher | readonly TriggerKey[],
): readonly PauseTarget[] {
  if ('operator' in which) return [{ kind: `${kind}s`, matcher: which }];
  return which.map((key) => ({ kind, key }));
}
