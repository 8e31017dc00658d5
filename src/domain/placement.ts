import type { EpochMs } from '../base/clock';
import { checkText, invalidArgument } from './check-text';
import { type DurationLike, parseDuration } from './retry-policy';

/** Preferred nodes of a job. Other nodes take it only if it is late by more than `fallbackAfter`. */
export interface Preference {
  /** Labels that a node must have, all of them. */
  readonly labels: readonly string[];
  /** Lateness above which other nodes take the job, in milliseconds. */
  readonly fallbackAfter: number;
}

/** Labels as users write them: one label, or a list of required labels. */
export type LabelsLike = string | readonly string[];

/** A preference as users write it: the labels alone (`fallbackAfter` 5 s), or both by name. */
export type PreferenceOptions =
  | LabelsLike
  | {
      /** At most 20 labels. A node must have all of them. */
      readonly labels: LabelsLike;
      /** Lateness after which other nodes take the job, at most a day; default `PT5S`. */
      readonly fallbackAfter?: DurationLike;
    };

/** Placement of a job, as users write it. */
export interface PlacementOptions {
  /** Only nodes that have all these labels run the job; empty: any node. */
  readonly runsOn?: LabelsLike;
  /** Nodes that should run the job. Other nodes run it only if it is late. */
  readonly prefers?: PreferenceOptions;
}

/** Fields of a policy that decide where a job runs. */
export interface PlacementPolicy {
  readonly runsOn?: readonly string[];
  readonly prefers?: Preference;
}

/** Placement of one trigger's job. */
export interface Placement {
  readonly runsOn: readonly string[];
  readonly prefers: readonly string[];
  /** Lateness above which other nodes take the job, in milliseconds. */
  readonly fallbackAfter: number;
}

/** Range of triggers that one node takes. */
export interface NodeScope {
  /** All labels of the node, including `node:<instanceId>`. */
  readonly labels: readonly string[];
  /** Minimum priority of the triggers that it takes … */
  readonly minPriority: number;
  /** … and the maximum priority. */
  readonly maxPriority: number;
  /** Waiting time in milliseconds that raises a trigger's priority by one; the highest fires first. Null: the earliest fires first. */
  readonly ageing: number | null;
}

/** Limits of labels: characters per label, and the number of labels of a node or a policy. */
export const LABEL_LIMITS = { characters: 200, ofNode: 50, ofPolicy: 20, timeoutMs: 86_400_000 } as const;

/** Default of `fallbackAfter`. */
const DEFAULT_FALLBACK_MS = 5_000;

/** Priorities that the database column can hold. */
export const PRIORITY_BOUNDS = { min: -2_147_483_648, max: 2_147_483_647 } as const;

/** Returns the label that only this node has. */
export function labelOfNode(instanceId: string): string {
  return `node:${instanceId}`;
}

/**
 * Returns a node's scope: its own label and the configured ones. Without a range, it takes triggers of any priority; without `ageing`, the earliest
 * first.
 */
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

/** Range of priorities, both ends included; an absent end has no bound. */
export interface PriorityRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Parses labels as users write them; removes duplicates; at most 20. `owner` names their owner in messages. Throws INVALID_ARGUMENT. */
export function checkLabels(labels: unknown, owner: string): readonly string[] {
  const list: unknown = typeof labels === 'string' ? [labels] : labels;
  if (!Array.isArray(list) || list.length > LABEL_LIMITS.ofPolicy) {
    throw invalidArgument(`a label or a list of at most ${LABEL_LIMITS.ofPolicy} labels of ${owner}`, labels);
  }
  return Object.freeze([
    ...new Set(list.map((label) => checkText(label, `a label of ${owner}`, LABEL_LIMITS.characters))),
  ]);
}

/** Parses a preference as users write it. `owner` names its owner in messages. Throws INVALID_ARGUMENT. */
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

/** Returns the placement of a trigger by its own policy, then its job's; null: any node. */
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

/** True if two placements are equal. */
export function samePlacement(a: Placement | null, b: Placement | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** True if a node has all the labels. */
export function hasLabels(own: readonly string[], needed: readonly string[]): boolean {
  return needed.every((label) => own.includes(label));
}

/**
 * Returns the maximum wait for a preferred node: half the misfire threshold, so that another node takes the trigger before it misfires. Milliseconds.
 */
export function maxFallbackAfter({ misfireThreshold }: { readonly misfireThreshold: number }): number {
  return Math.floor(misfireThreshold / 2);
}

/** Returns the time from which the node may take a trigger that fires at `fireTime`. -Infinity: any time, even before its fire time. Null: never. */
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

/** True if a node may fire the trigger now, by labels and priority. */
export function takes(
  scope: NodeScope,
  { trigger, jobDetail }: Placeable,
  clock: { readonly now: EpochMs; readonly misfireThreshold: number },
): boolean {
  if (!mayTake(scope, { trigger, jobDetail })) return false;
  const from = availableFrom(placementOf({ trigger, jobDetail }), trigger.nextFireTime ?? clock.now, scope, clock);
  return from !== null && from <= clock.now;
}

/** True if a node may ever fire the trigger, by labels and priority. */
export function mayTake(
  { labels, minPriority, maxPriority }: NodeScope,
  { trigger, jobDetail }: Omit<Placeable, 'trigger'> & { readonly trigger: Omit<Placeable['trigger'], 'nextFireTime'> },
): boolean {
  if (trigger.priority < minPriority || trigger.priority > maxPriority) return false;
  if (trigger.policy === undefined && jobDetail.policy === undefined) return true;
  return hasLabels(labels, placementOf({ trigger, jobDetail })?.runsOn ?? NO_LABELS);
}
