import { DAY_MS, type EpochMs } from '../base/clock';
import { checkText, invalidArgument, refuseOthers } from './check-text';
import type { DurationLike } from './retry-policy';
import { checkDelay } from './time/duration';

/** Preferred node labels of a job. Nodes that lack one of these labels run the job only if it is late by at least `fallbackAfter`. */
export interface Preference {
  /** Labels that a preferred node has; all are required. */
  readonly labels: readonly string[];
  /** Minimum lateness at which other nodes run the job, in milliseconds. */
  readonly fallbackAfter: number;
}

/** Labels as users specify them: one label, or a list of labels that are all required. */
export type LabelsLike = string | readonly string[];

/** Preferred labels as users specify them: labels alone (`fallbackAfter` is then 5 s), or an object that also sets `fallbackAfter`. */
export type PreferenceOptions =
  | LabelsLike
  | {
      /** At most 20 labels. A preferred node must have all of them. */
      readonly labels: LabelsLike;
      /** Minimum lateness at which other nodes run the job, at most one day. Default: `PT5S`. */
      readonly fallbackAfter?: DurationLike;
    };

/** Placement of a job as users specify it. */
export interface PlacementOptions {
  /** Labels that a node must have to run the job; all are required. Empty: any node. */
  readonly runsOn?: LabelsLike;
  /** Preferred labels. Nodes that lack one of these labels run the job only if it is late. */
  readonly prefers?: PreferenceOptions;
}

interface PlacementPolicy {
  readonly runsOn?: readonly string[];
  readonly prefers?: Preference;
}

/** Effective placement of a trigger's runs: which nodes may run them and which are preferred. */
export interface Placement {
  readonly runsOn: readonly string[];
  readonly prefers: readonly string[];
  /** Minimum lateness at which nodes without the preferred labels run the job, in milliseconds. */
  readonly fallbackAfter: number;
}

export interface NodeScope {
  /** Labels of the node, including `node:<instanceId>`. */
  readonly labels: readonly string[];
  readonly minPriority: number;
  readonly maxPriority: number;
  /** Waiting time that raises a trigger's priority by one, in milliseconds; the highest priority fires first. Null: fire-time order. */
  readonly ageing: number | null;
}

/** Limits on labels: length in characters, number per node, number per policy, and the maximum `fallbackAfter` in milliseconds. */
export const LABEL_LIMITS = { characters: 200, ofNode: 50, ofPolicy: 20, timeoutMs: DAY_MS } as const;

const DEFAULT_FALLBACK_MS = 5_000;

/** Range of priorities that fit into the database column. */
export const PRIORITY_BOUNDS = { min: -2_147_483_648, max: 2_147_483_647 } as const;

export function labelOfNode(instanceId: string): string {
  return `node:${instanceId}`;
}

/** Returns the scope of a node with its `node:` label. Without `priorities`, it fires triggers of any priority. `ageing` null: in fire-time order. */
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

/** Range of priorities, inclusive. An absent end is unbounded. */
export interface PriorityRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Validates labels, at most 20, and removes duplicates. `owner` names the job or trigger in error messages. Throws INVALID_ARGUMENT. */
export function checkLabels(labels: unknown, owner: string): readonly string[] {
  const list: unknown = typeof labels === 'string' ? [labels] : labels;
  if (!Array.isArray(list) || list.length > LABEL_LIMITS.ofPolicy) {
    const found = Array.isArray(list) ? list.length : labels;
    throw invalidArgument(`a label, or a list of at most ${LABEL_LIMITS.ofPolicy}, as the labels of ${owner}`, found);
  }
  const checked = list.map((label) => checkText(label, `a label of ${owner}`, LABEL_LIMITS.characters));
  return Object.freeze([...new Set(checked)]);
}

/** Validates preferred labels and fills in defaults. `owner` names the job or trigger in error messages. Throws INVALID_ARGUMENT. */
export function checkPreference(prefers: unknown, owner: string): Preference {
  const isNamed = typeof prefers === 'object' && prefers !== null && !Array.isArray(prefers);
  const parts = (isNamed ? prefers : { labels: prefers }) as Readonly<Record<string, unknown>>;
  const { labels, fallbackAfter = DEFAULT_FALLBACK_MS, ...others } = parts;
  refuseOthers(others, `only labels and fallbackAfter in prefers of ${owner}`);
  const milliseconds = checkDelay(fallbackAfter, `the fallback time of ${owner}`);
  if (milliseconds > LABEL_LIMITS.timeoutMs) {
    throw invalidArgument(`a duration of at most a day as the fallback time of ${owner}`, fallbackAfter);
  }
  return Object.freeze({ labels: checkLabels(labels, owner), fallbackAfter: milliseconds });
}

interface HasPlacement {
  readonly policy?: PlacementPolicy | undefined;
}

/** Returns the placement from the trigger's policy or, if it has none, from its job's. Null if any node may run the job. */
export function placementOf({
  trigger,
  jobDetail,
}: Readonly<Record<'trigger' | 'jobDetail', HasPlacement>>): Placement | null {
  const runsOn = trigger.policy?.runsOn ?? jobDetail.policy?.runsOn ?? NO_LABELS;
  const prefers = trigger.policy?.prefers ?? jobDetail.policy?.prefers ?? NO_PREFERENCE;
  if (runsOn.length === 0 && prefers.labels.length === 0) return null;
  return { runsOn, prefers: prefers.labels, fallbackAfter: prefers.fallbackAfter };
}

const NO_LABELS: readonly string[] = Object.freeze([]);
const NO_PREFERENCE: Preference = Object.freeze({ labels: NO_LABELS, fallbackAfter: 0 });

export function samePlacement(a: Placement | null, b: Placement | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function hasLabels(own: readonly string[], needed: readonly string[]): boolean {
  return needed.every((label) => own.includes(label));
}

/** Maximum time that other nodes wait for a preferred node: half the misfire threshold, so that they can fire the trigger before it misfires. */
export function maxFallbackAfter({ misfireThreshold }: { readonly misfireThreshold: number }): number {
  return Math.floor(misfireThreshold / 2);
}

/** Returns the time from which a node may acquire a trigger that fires at `fireTime`. -Infinity: at any time. Null: never. */
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

/** True if the node may fire the trigger now, given its labels and priority range. */
export function takes(
  scope: NodeScope,
  { trigger, jobDetail }: Placeable,
  clock: { readonly now: EpochMs; readonly misfireThreshold: number },
): boolean {
  if (!mayTake(scope, { trigger, jobDetail })) return false;
  const from = availableFrom(placementOf({ trigger, jobDetail }), trigger.nextFireTime ?? clock.now, scope, clock);
  return from !== null && from <= clock.now;
}

/** True if the node may fire the trigger now or later, given its labels and priority range. */
export function mayTake(
  { labels, minPriority, maxPriority }: NodeScope,
  { trigger, jobDetail }: Omit<Placeable, 'trigger'> & { readonly trigger: Omit<Placeable['trigger'], 'nextFireTime'> },
): boolean {
  if (trigger.priority < minPriority || trigger.priority > maxPriority) return false;
  if (trigger.policy === undefined && jobDetail.policy === undefined) return true;
  return hasLabels(labels, placementOf({ trigger, jobDetail })?.runsOn ?? NO_LABELS);
}
