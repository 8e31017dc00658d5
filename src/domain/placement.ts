import type { EpochMs } from '../base/clock';
import { checkText, invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** Where a job had better run: others take it only when it is late by more than `fallbackAfter`. */
export interface Preference {
  /** All of them are needed. */
  readonly labels: readonly string[];
  /** Milliseconds. */
  readonly fallbackAfter: number;
}

/** Labels as people write them: one, or several of which all are needed. */
export type LabelsLike = string | readonly string[];

/** A preference as people write it: the labels alone (`fallbackAfter` 5 s), or both by name. */
export type PreferenceOptions =
  | LabelsLike
  | {
      /** At most 20, of which all are needed. */
      readonly labels: LabelsLike;
      /** How late it may be before other nodes take it, at most a day; default `PT5S`. */
      readonly fallbackAfter?: DurationLike;
    };

/** Where a job may run, as people write it. */
export interface PlacementOptions {
  /** Only nodes that have all these labels run it; none: any node. */
  readonly runsOn?: LabelsLike;
  /** Others run it only when it is late. */
  readonly prefers?: PreferenceOptions;
}

/** The parts of a policy that say where a job runs. */
export interface PlacementPolicy {
  readonly runsOn?: readonly string[];
  readonly prefers?: Preference;
}

/** Where one trigger's job may run. */
export interface Placement {
  readonly runsOn: readonly string[];
  readonly prefers: readonly string[];
  /** Milliseconds. */
  readonly fallbackAfter: number;
}

/** What one node takes. */
export interface NodeScope {
  /** All its labels, `node:<instanceId>` among them. */
  readonly labels: readonly string[];
  /** Only triggers from this priority on … */
  readonly minPriority: number;
  /** … up to this one. */
  readonly maxPriority: number;
  /** After so many milliseconds of waiting a trigger counts as one priority higher, and the highest fires first; null: the earliest does. */
  readonly ageing: number | null;
}

/** Bounds of labels: characters of one, how many a node or a policy names. */
export const LABEL_LIMITS = { characters: 200, ofNode: 50, ofPolicy: 20, timeoutMs: 86_400_000 } as const;

/** Without a word. */
const DEFAULT_FALLBACK_MS = 5_000;

/** Priorities as a column of the database holds them. */
export const PRIORITY_BOUNDS = { min: -2_147_483_648, max: 2_147_483_647 } as const;

/** The label that one node has by itself, and no other. */
export function labelOfNode(instanceId: string): string {
  return `node:${instanceId}`;
}

/** What a node takes: its own label and those of its configuration; without a range, triggers of any priority; without `ageing`, the earliest first. */
export function scopeOfNode(
  instanceId: string,
  {
    labels = [],
    priorities = {},
  }: { readonly labels?: readonly string[] | undefined; readonly priorities?: PriorityRange | undefined } = {},
  ageing: number | null = null,
): NodeScope {
  const { min = PRIORITY_BOUNDS.min, max = PRIORITY_BOUNDS.max } = priorities;
  const all = [...new Set([labelOfNode(instanceId), ...labels])];
  return Object.freeze({ labels: Object.freeze(all), minPriority: min, maxPriority: max, ageing });
}

/** Priorities from one to another, both included; what is absent has no bound. */
export interface PriorityRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Labels out of what a user wrote, each once; at most 20. `owner`: whose they are, for messages. Throws INVALID_ARGUMENT. */
export function checkLabels(labels: unknown, owner: string): readonly string[] {
  const list: unknown = typeof labels === 'string' ? [labels] : labels;
  if (!Array.isArray(list) || list.length > LABEL_LIMITS.ofPolicy) {
    throw invalidArgument(`a label or a list of at most ${LABEL_LIMITS.ofPolicy} labels of ${owner}`, labels);
  }
  return Object.freeze([
    ...new Set(list.map((label) => checkText(label, `a label of ${owner}`, LABEL_LIMITS.characters))),
  ]);
}

/** A preference out of what a user wrote. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function checkPreference(prefers: unknown, owner: string): Preference {
  const isNamed = typeof prefers === 'object' && prefers !== null && !Array.isArray(prefers);
  const parts = (isNamed ? prefers : { labels: prefers }) as Readonly<Record<string, unknown>>;
  const { labels, fallbackAfter = DEFAULT_FALLBACK_MS, ...others } = parts;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidArgument(`labels and fallbackAfter in prefers of ${owner}`, unknown);
  const milliseconds = parseDuration(fallbackAfter, `the fallback time of ${owner}`);
  if (milliseconds > LABEL_LIMITS.timeoutMs) {
    throw invalidArgument(`a duration of at most a day as the fallback time of ${owner}`, fallbackAfter);
  }
  return Object.freeze({ labels: checkLabels(labels, owner), fallbackAfter: milliseconds });
}

interface HasPlacement {
  readonly policy?: PlacementPolicy | undefined;
}

/** Where the policies place a trigger: its own word before its job's; null: anywhere. */
export function placementOf({
  trigger,
  jobDetail,
}: {
  readonly trigger: HasPlacement;
  readonly jobDetail: HasPlacement;
}): Placement | null {
  const runsOn = trigger.policy?.runsOn ?? jobDetail.policy?.runsOn ?? NO_LABELS;
  const prefers = trigger.policy?.prefers ?? jobDetail.policy?.prefers ?? NO_PREFERENCE;
  if (runsOn.length === 0 && prefers.labels.length === 0) return null;
  return { runsOn, prefers: prefers.labels, fallbackAfter: prefers.fallbackAfter };
}

const NO_LABELS: readonly string[] = Object.freeze([]);
const NO_PREFERENCE: Preference = Object.freeze({ labels: NO_LABELS, fallbackAfter: 0 });

/** Whether two policies place alike what leaves it to them. */
export function samePlacement(a: Placement | null, b: Placement | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether a node has all the labels. */
export function hasLabels(own: readonly string[], needed: readonly string[]): boolean {
  return needed.every((label) => own.includes(label));
}

/**
 * The longest that a node waits for another one to take what prefers that: half the misfire threshold, so that it is taken before it counts
 * as missed. Milliseconds.
 */
export function maxFallbackAfter({ misfireThreshold }: { readonly misfireThreshold: number }): number {
  return Math.floor(misfireThreshold / 2);
}

/** From when on the node may take what is placed so and fires at `fireTime`: -Infinity, also ahead of its time; null: never. */
export function availableFrom(
  placement: Placement | null,
  fireTime: EpochMs,
  { labels }: Pick<NodeScope, 'labels'>,
  clock: { readonly misfireThreshold: number },
): EpochMs | null {
  if (placement === null) return Number.NEGATIVE_INFINITY;
  if (!hasLabels(labels, placement.runsOn)) return null;
  if (hasLabels(labels, placement.prefers)) return Number.NEGATIVE_INFINITY;
  return fireTime + Math.min(placement.fallbackAfter, maxFallbackAfter(clock));
}

interface Placeable {
  readonly trigger: HasPlacement & { readonly nextFireTime: EpochMs | null; readonly priority: number };
  readonly jobDetail: HasPlacement;
}

/** Whether a node may fire the trigger now, as far as labels and priorities go. */
export function takes(
  scope: NodeScope,
  { trigger, jobDetail }: Placeable,
  clock: { readonly now: EpochMs; readonly misfireThreshold: number },
): boolean {
  if (!mayTake(scope, { trigger, jobDetail })) return false;
  const from = availableFrom(placementOf({ trigger, jobDetail }), trigger.nextFireTime ?? clock.now, scope, clock);
  return from !== null && from <= clock.now;
}

/** Whether a node may ever fire the trigger, as far as labels and priorities go. */
export function mayTake(
  { labels, minPriority, maxPriority }: NodeScope,
  { trigger, jobDetail }: Omit<Placeable, 'trigger'> & { readonly trigger: Omit<Placeable['trigger'], 'nextFireTime'> },
): boolean {
  if (trigger.priority < minPriority || trigger.priority > maxPriority) return false;
  if (trigger.policy === undefined && jobDetail.policy === undefined) return true;
  return hasLabels(labels, placementOf({ trigger, jobDetail })?.runsOn ?? NO_LABELS);
}
