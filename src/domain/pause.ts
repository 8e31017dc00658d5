import { type EpochMs, earliestOf } from '../base/clock';
import { type GroupMatcher, type JobKey, keyText, matchesGroup, sameKey, type TriggerKey } from './keys';
import { isGroupOfFurtherRuns, occurrenceOfTrigger } from './occurrence';
import type { Trigger } from './trigger';
import type { TriggerState } from './trigger-state';

/** Target of a pause: a trigger, a job with all its triggers, or groups of either. */
export type PauseTarget =
  | { readonly kind: 'trigger'; readonly key: TriggerKey }
  | { readonly kind: 'job'; readonly key: JobKey }
  | { readonly kind: 'triggers'; readonly matcher: GroupMatcher }
  | { readonly kind: 'jobs'; readonly matcher: GroupMatcher };

/** Explanation of a pause. */
export interface PauseExplanation {
  /** Reason; null if none was given. */
  readonly reason: string | null;
  /** Author; null if none was given. */
  readonly by: string | null;
  readonly since: EpochMs;
  /** Time at which the pause ends; null if it ends only by resuming. */
  readonly until: EpochMs | null;
  /** False if waiting runs of earlier occurrences (retries, recoveries and the like) continue. Absent: the pause holds them. */
  readonly holdsRetries?: boolean;
}

/** A pause with its explanation. */
export interface ExplainedPause extends PauseExplanation {
  readonly target: PauseTarget;
}

/** The fields of a trigger that matter for pauses. */
export interface PausedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
  /** The trigger whose occurrence this one repeats or runs later; absent if it runs its own. */
  readonly of?: TriggerKey;
}

/** Returns the fields of a trigger that matter for pauses; for a further run, including the trigger that it belongs to. */
export function pausedTriggerOf({ key, jobKey, data }: Pick<Trigger, 'key' | 'jobKey' | 'data'>): PausedTrigger {
  const of = originOfRun({ key, data });
  return of === null ? { key, jobKey } : { key, jobKey, of };
}

/** Returns the trigger whose occurrence this one repeats or runs later (a retry, a recovery, a part, a deferred run). Null if it runs its own. */
export function originOfRun(trigger: Pick<Trigger, 'key' | 'data'>): TriggerKey | null {
  if (!isGroupOfFurtherRuns(trigger.key.group)) return null;
  const { triggerKey } = occurrenceOfTrigger(trigger);
  return sameKey(triggerKey, trigger.key) ? null : triggerKey;
}

/** Selects the further runs of the triggers of these keys or groups. */
export function runsOf(which: GroupMatcher | readonly TriggerKey[]): (origin: TriggerKey) => boolean {
  if ('operator' in which) return ({ group }) => matchesGroup(which, group);
  const keys = new Set(which.map(keyText));
  return (origin) => keys.has(keyText(origin));
}

/**
 * True if a further run has to wait until its trigger is resumed. `state`: state of that trigger; null if it was deleted. A trigger without remaining
 * fire times cannot be paused individually, so its group decides.
 */
export function isRunHeld(
  origin: PausedTrigger,
  state: TriggerState | null,
  { isGroupPaused, pauses }: { readonly isGroupPaused: boolean; readonly pauses: readonly ExplainedPause[] },
): boolean {
  if (pauseOf(origin, pauses)?.holdsRetries === false) return false;
  if (state === null || state === 'COMPLETE' || state === 'ERROR') return isGroupPaused;
  return state === 'PAUSED' || state === 'PAUSED_BLOCKED';
}

/** Position in a list: its kind, its key or the matcher of its groups. */
export type PausePlace = readonly [kind: PauseTarget['kind'], group: string, name: string];

export function placeOfPause(target: PauseTarget): PausePlace {
  if ('key' in target) return [target.kind, target.key.group, target.key.name];
  return [target.kind, target.matcher.value, target.matcher.operator];
}

/** Returns the target at a position of `placeOfPause`. */
export function pauseAt([kind, group, name]: PausePlace): PauseTarget {
  if (kind === 'trigger' || kind === 'job') return { kind, key: { group, name } };
  return { kind, matcher: { operator: name as GroupMatcher['operator'], value: group } };
}

/** One text per target, for maps. */
export function pauseText(target: PauseTarget): string {
  if ('key' in target) return `${target.kind}\u0000${keyText(target.key)}`;
  return `${target.kind}\u0000${target.matcher.value}\u0000${target.matcher.operator}`;
}

/** True if the pause covers this trigger, or the trigger that it belongs to. */
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

/** Returns the pause that explains why the trigger is paused: the most specific one, or the latest of several. Null if there is none. */
export function pauseOf(trigger: PausedTrigger, pauses: readonly ExplainedPause[]): ExplainedPause | null {
  const rank = ({ target }: ExplainedPause) => MOST_SPECIFIC_FIRST.indexOf(target.kind);
  const found = pauses.filter((pause) => covers(pause, trigger));
  return found.sort((a, b) => rank(a) - rank(b) || b.since - a.since)[0] ?? null;
}

/** Returns an indexed `pauseOf`. Build it once for many triggers, so that the cost is linear. */
export function explainedBy(pauses: readonly ExplainedPause[]): (trigger: PausedTrigger) => ExplainedPause | null {
  const named = new Map(pauses.map((pause) => [pauseText(pause.target), pause]));
  const ofGroups = pauses.filter(({ target }) => isOfGroups(target));
  return (trigger) =>
    pauseOf(trigger, [...targetsThatName(trigger).flatMap((text) => named.get(text) ?? []), ...ofGroups]);
}

/** Returns the texts of the pauses that name the trigger, the trigger that it belongs to, or its job. */
export function targetsThatName({ key, jobKey, of = key }: PausedTrigger): readonly string[] {
  const targets: PauseTarget[] = [
    { kind: 'trigger', key },
    { kind: 'trigger', key: of },
    { kind: 'job', key: jobKey },
  ];
  return [...new Set(targets.map(pauseText))];
}

/**
 * Returns a predicate for pauses that end because `resumed` and the given triggers were resumed. The triggers are given by the texts of their keys.
 * Build it once for many pauses, so that the cost is linear.
 */
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

type GroupTarget = Extract<PauseTarget, { readonly matcher: GroupMatcher }>;

function isOfGroups(target: PauseTarget): target is GroupTarget {
  return 'matcher' in target;
}

/** True if the paused target is within the resumed groups. */
function isWithinGroups(target: PauseTarget, resumed: GroupTarget): boolean {
  const { kind, matcher } = resumed;
  if (kind === 'triggers' && matcher.operator === 'any') return true;
  if ('key' in target) return `${target.kind}s` === kind && matchesGroup(matcher, target.key.group);
  const isWithin = target.matcher.operator === 'equals' && matchesGroup(matcher, target.matcher.value);
  return target.kind === kind && (matcher.operator === 'any' || isWithin);
}

/** Splits pauses into elapsed and standing ones, and returns the next end time of a standing one; null if none ends by itself. */
export function elapsedPauses(pauses: readonly ExplainedPause[], now: EpochMs) {
  const isOver = ({ until }: ExplainedPause) => until !== null && until <= now;
  const standing = pauses.filter((pause) => !isOver(pause));
  return { over: pauses.filter(isOver), standing, nextEnd: earliestOf(standing.map(({ until }) => until)) ?? null };
}

/** Returns a predicate for triggers that a standing pause still covers. Build it once for many triggers, so that the cost is linear. */
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

/** Returns the targets that resuming these keys or groups ends. */
export function targetsOf(
  kind: 'trigger' | 'job',
  which: GroupMatcher | readonly TriggerKey[],
): readonly PauseTarget[] {
  if ('operator' in which) return [{ kind: `${kind}s`, matcher: which }];
  return which.map((key) => ({ kind, key }));
}
