import type { EpochMs } from '../base/clock';
import { isDue } from './acquisition';
import type { TriggerFiring } from './firing';
import type { GroupLimits } from './group-limits';
import { demandOf, type FiringCandidate, type FiringDemand, type LimitClaim } from './limit-claims';

/*
 * Slots of limits. A slot is capacity for one run at a time. While a limit is scarce, firings of short jobs share slots: the firings of one batch with
 * the same slot run one after another on their node. Only the last of them holds the limit, so one transaction fires many runs, and the limit counts
 * each slot once.
 */

/** Expected time in milliseconds that all runs of a shared slot take together. */
const SLOT_TIME_MS = 10;
/** Maximum number of runs that share a slot. */
const MAX_RUNS = 100;
/** Duration in milliseconds that a job type is assumed to take before it has run. */
const ASSUMED_MS = 20;
/** Factor by which each shorter run lowers the expected duration. */
const DECAY = 0.85;

/** Maximum number of firings per worker that a batch contains, if it contains only short runs. */
export const RUNS_PER_WORKER = 8;

/** Share of a limit's capacity that may be used without making triggers wait soon. */
export const PLENTY = 0.5;

/** Number of runs of each job type that may share a slot. Absent types: 1. */
export type RunsPerSlot = Readonly<Record<string, number>>;

export function maxRunsPerSlot(runsPerSlot: RunsPerSlot = {}): number {
  return Object.values(runsPerSlot).reduce((most, count) => Math.max(most, count), 1);
}

/** Expected durations of runs, by job type: the longest recent one. A longer run counts at once, and is forgotten slowly. */
export class RunTimes {
  readonly #expected = new Map<string, number>();

  add(jobType: string, duration: number): void {
    this.#expected.set(jobType, Math.max(duration, (this.#expected.get(jobType) ?? ASSUMED_MS) * DECAY));
  }

  shortJobTypes(): readonly string[] {
    return [...this.#expected.keys()].filter((type) => this.isShort(type));
  }

  /** True if a slot has time for several runs of the job type. */
  isShort(jobType: string): boolean {
    return runsIn(this.#expected.get(jobType) ?? ASSUMED_MS) >= RUNS_PER_WORKER;
  }

  runsPerSlot(): RunsPerSlot {
    const counts = [...this.#expected].map(([type, duration]) => [type, runsIn(duration)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 1));
  }
}

export interface BatchSizeRequest {
  readonly workers: number;
  readonly shortJobTypes: readonly string[];
  readonly now: EpochMs;
  /** Group limits of the whole cluster. */
  readonly groupLimits: GroupLimits | undefined;
}

/** Size of a batch: a firing for each worker, and more while all of them are due, short, and free of limits and rules. */
export class BatchSize {
  readonly #request: BatchSizeRequest;
  #count = 0;
  #areShort = true;

  constructor(request: BatchSizeRequest) {
    this.#request = request;
  }

  /** True if the batch has room for this firing. */
  hasRoomFor(candidate: FiringCandidate): boolean {
    return this.#count < this.#request.workers || (this.#areShort && this.#isShort(candidate));
  }

  add(candidate: FiringCandidate): void {
    this.#count++;
    this.#areShort &&= this.#isShort(candidate);
  }

  #isShort(candidate: FiringCandidate): boolean {
    const { trigger, jobDetail } = candidate;
    const { now, shortJobTypes, groupLimits } = this.#request;
    if (!shortJobTypes.includes(jobDetail.jobType) || jobDetail.disallowConcurrentExecution) return false;
    const isPlain = trigger.policy === undefined && jobDetail.policy === undefined;
    return isPlain && isDue(trigger, now, 0) && demandOf(candidate, groupLimits) === null;
  }
}

function runsIn(duration: number): number {
  return Math.min(MAX_RUNS, Math.floor(SLOT_TIME_MS / Math.max(duration, SLOT_TIME_MS / MAX_RUNS)));
}

interface SharedSlot {
  readonly slot: number;
  readonly maxRuns: number;
  runs: number;
}

/** Slots that firings of one batch share. */
export class SlotSharing {
  readonly #runsPerSlot: RunsPerSlot;
  /** Number of due firings of each key that may share a slot. */
  readonly #demanded = new Map<string, number>();
  readonly #isScarce = new Map<string, boolean>();
  readonly #open = new Map<string, SharedSlot>();
  #count = 0;

  /** `demands`: demands of all due triggers that the batch may contain. */
  constructor(demands: readonly FiringDemand[], runsPerSlot: RunsPerSlot = {}) {
    this.#runsPerSlot = runsPerSlot;
    if (Object.keys(runsPerSlot).length === 0) return;
    for (const demand of demands) {
      const { key } = onlyClaim(demand) ?? {};
      if (key !== undefined) this.#demanded.set(key, (this.#demanded.get(key) ?? 0) + 1);
    }
  }

  /** Adds a firing to an open slot of its limit. Returns the number of the slot; null if the firing needs a slot of its own. */
  join(candidate: FiringCandidate, demand: FiringDemand): number | null {
    const claim = onlyClaim(demand);
    const open = claim === null ? undefined : this.#open.get(claim.key);
    if (open === undefined || open.runs >= Math.min(open.maxRuns, this.#maxRuns(candidate))) return null;
    open.runs++;
    return open.slot;
  }

  /**
   * Opens a slot for a firing that takes capacity. `free`: capacity of the limit before. Returns the number of the slot; null if no other firing may
   * share it.
   */
  open(candidate: FiringCandidate, demand: FiringDemand, free: number): number | null {
    const claim = onlyClaim(demand);
    const maxRuns = this.#maxRuns(candidate);
    if (claim === null || maxRuns <= 1 || !this.#isScarceKey(claim, free)) return null;
    const slot = this.#count++;
    this.#open.set(claim.key, { slot, maxRuns, runs: 1 });
    return slot;
  }

  /** True if the batch demanded more than a small share of the limit's capacity when it first used it. */
  #isScarceKey({ key }: LimitClaim, free: number): boolean {
    const isScarce = this.#isScarce.get(key) ?? (this.#demanded.get(key) ?? 0) > free * PLENTY;
    this.#isScarce.set(key, isScarce);
    return isScarce;
  }

  #maxRuns({ jobDetail }: FiringCandidate): number {
    const { jobType } = jobDetail;
    return Object.hasOwn(this.#runsPerSlot, jobType) ? (this.#runsPerSlot[jobType] ?? 1) : 1;
  }
}

/** Returns the only limit of a firing that may share its slot; null if other limits or rules apply. */
function onlyClaim({ claims, overlap, leaves, rate }: FiringDemand): LimitClaim | null {
  const [claim] = claims;
  const isPlain = claims.length === 1 && overlap === null && leaves === null && rate === null;
  return isPlain && claim !== undefined && claim.limit < Number.POSITIVE_INFINITY ? claim : null;
}

/** Returns the firings of a batch as they are stored: of the firings that share a slot, only the last one holds the limit. */
export function withLastHolding<T extends Pick<TriggerFiring, 'slot' | 'holds' | 'isAwaited'>>(
  firings: readonly T[],
): readonly T[] {
  if (!firings.some(({ slot }) => slot !== undefined)) return firings;
  const last = new Map(firings.map((firing) => [firing.slot, firing]));
  return firings.map((firing) => {
    if (firing.slot === undefined || last.get(firing.slot) === firing) return firing;
    const { holds: _, isAwaited: __, ...rest } = firing;
    return rest as T;
  });
}
