import { type EpochMs, earliestOf } from '../base/clock';
import { type GroupMatcher, type JobKey, keyText, matchesGroup, sameKey, type TriggerKey } from './keys';

/** What one pause names: a trigger, a job with all its triggers, or groups of either. */
export type PauseTarget =
  | { readonly kind: 'trigger'; readonly key: TriggerKey }
  | { readonly kind: 'job'; readonly key: JobKey }
  | { readonly kind: 'triggers'; readonly matcher: GroupMatcher }
  | { readonly kind: 'jobs'; readonly matcher: GroupMatcher };

/** What is said of a pause. */
export interface PauseExplanation {
  /** Why; null: it was not said. */
  readonly reason: string | null;
  /** Who paused; null: it was not said. */
  readonly by: string | null;
  readonly since: EpochMs;
  /** When it ends by itself; null: only by resuming. */
  readonly until: EpochMs | null;
}

/** A pause that somebody has explained. */
export interface ExplainedPause extends PauseExplanation {
  readonly target: PauseTarget;
}

/** A trigger, as far as pauses are concerned. */
export interface PausedTrigger {
  readonly key: TriggerKey;
  readonly jobKey: JobKey;
}

/** Its place in a list: its kind, its key or what groups are compared with, and how. */
export type PausePlace = readonly [kind: PauseTarget['kind'], group: string, name: string];

export function placeOfPause(target: PauseTarget): PausePlace {
  if ('key' in target) return [target.kind, target.key.group, target.key.name];
  return [target.kind, target.matcher.value, target.matcher.operator];
}

/** What `placeOfPause` has placed. */
export function pauseAt([kind, group, name]: PausePlace): PauseTarget {
  if (kind === 'trigger' || kind === 'job') return { kind, key: { group, name } };
  return { kind, matcher: { operator: name as GroupMatcher['operator'], value: group } };
}

/** One text per target, for maps. */
export function pauseText(target: PauseTarget): string {
  if ('key' in target) return `${target.kind}\u0000${keyText(target.key)}`;
  return `${target.kind}\u0000${target.matcher.value}\u0000${target.matcher.operator}`;
}

/** Whether the pause is of this trigger, among others. */
function covers({ target }: ExplainedPause, { key, jobKey }: PausedTrigger): boolean {
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

/** The pause that explains why the trigger is paused: the most specific one, of several the latest; null: there is none. */
export function pauseOf(trigger: PausedTrigger, pauses: readonly ExplainedPause[]): ExplainedPause | null {
  const rank = ({ target }: ExplainedPause) => MOST_SPECIFIC_FIRST.indexOf(target.kind);
  const found = pauses.filter((pause) => covers(pause, trigger));
  return found.sort((a, b) => rank(a) - rank(b) || b.since - a.since)[0] ?? null;
}

/**
 * Tells of a pause whether it ends because `resumed` were resumed, and these triggers with them, by the texts of their keys. Built once for
 * many pauses, so that its cost is linear.
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

/** Whether what was paused is within the groups that were resumed. */
function isWithinGroups(target: PauseTarget, resumed: GroupTarget): boolean {
  const { kind, matcher } = resumed;
  if (kind === 'triggers' && matcher.operator === 'any') return true;
  if ('key' in target) return `${target.kind}s` === kind && matchesGroup(matcher, target.key.group);
  const isWithin = target.matcher.operator === 'equals' && matchesGroup(matcher, target.matcher.value);
  return target.kind === kind && (matcher.operator === 'any' || isWithin);
}

/** The pauses whose time has come, those that go on, and when the next of these ends by itself; null: none will. */
export function elapsedPauses(pauses: readonly ExplainedPause[], now: EpochMs) {
  const isOver = ({ until }: ExplainedPause) => until !== null && until <= now;
  const standing = pauses.filter((pause) => !isOver(pause));
  return { over: pauses.filter(isOver), standing, nextEnd: earliestOf(standing.map(({ until }) => until)) ?? null };
}

/** Tells of a trigger whether a standing pause goes on for it. Built once for many triggers, so that its cost is linear. */
export function heldBy(standing: readonly ExplainedPause[]): (trigger: PausedTrigger) => boolean {
  const ofGroups = standing.filter(({ target }) => isOfGroups(target));
  const texts = new Set(standing.map(({ target }) => pauseText(target)));
  return (trigger) =>
    texts.has(pauseText({ kind: 'trigger', key: trigger.key })) ||
    texts.has(pauseText({ kind: 'job', key: trigger.jobKey })) ||
    ofGroups.some((pause) => covers(pause, trigger));
}

/** What is resumed by those keys, or groups. */
export function targetsOf(
  kind: 'trigger' | 'job',
  which: GroupMatcher | readonly TriggerKey[],
): readonly PauseTarget[] {
  if ('operator' in which) return [{ kind: `${kind}s`, matcher: which }];
  return which.map((key) => ({ kind, key }));
}
