import type { TriggerFiring } from './firing';
import type { FiringCandidate, FiringDemand, LimitClaim } from './limit-claims';

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

/** Share of a limit's capacity that may be used without making triggers wait soon. */
export const PLENTY = 0.5;

/** Number of runs of each job type that may share a slot. Absent types: 1. */
export type RunsPerSlot = Readonly<Record<string, number>>;

/** Expected durations of runs, by job type: the longest recent one. A longer run counts at once, and is forgotten slowly. */
export class RunTimes {
  readonly #expected = new Map<string, number>();

  add(jobType: string, duration: number): void {
    this.#expected.set(jobType, Math.max(duration, (this.#expected.get(jobType) ?? ASSUMED_MS) * DECAY));
  }

  runsPerSlot(): RunsPerSlot {
    const counts = [...this.#expected].map(([type, duration]) => [type, runsIn(duration)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 1));
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

/** Slots of limits that firings of one batch share. */
export class SlotSharing {
  readonly #maxRuns: RunsPerSlot;
  /** Number of due firings of each key that may share a slot. */
  readonly #demanded = new Map<string, number>();
  readonly #isScarce = new Map<string, boolean>();
  readonly #open = new Map<string, SharedSlot>();
  /** Maximum number of runs per slot of the job types seen so far. */
  #mostRuns = 1;
  /** Number of slots of limits that the batch uses. */
  #slots = 0;

  /** `demands`: demands of all due triggers that the batch may contain. */
  constructor(demands: readonly FiringDemand[], runsPerSlot: RunsPerSlot = {}) {
    this.#maxRuns = runsPerSlot;
    for (const demand of demands) {
      const { key } = onlyClaim(demand) ?? {};
      if (key !== undefined) this.#demanded.set(key, (this.#demanded.get(key) ?? 0) + 1);
    }
  }

  /** Returns the number of firings that one slot of a batch of `maxCount` firings can have, if further batches have as many slots. */
  runsPerSlot(maxCount: number): number {
    return Math.min(this.#mostRuns, Math.ceil(maxCount / Math.max(1, this.#slots)));
  }

  /** Adds a firing to an open slot of its limit. Returns the number of the slot; null if the firing needs a slot of its own. */
  join(candidate: FiringCandidate, demand: FiringDemand): number | null {
    const claim = onlyClaim(demand);
    const maxRuns = this.#maxRunsOf(candidate);
    this.#mostRuns = Math.max(this.#mostRuns, maxRuns);
    const open = claim === null ? undefined : this.#open.get(claim.key);
    if (open === undefined || open.runs >= Math.min(open.maxRuns, maxRuns)) return null;
    open.runs++;
    return open.slot;
  }

  /**
   * Opens a slot for a firing that takes capacity. `free`: capacity of the limit before. Returns the number of the slot; null if no other firing may
   * share it.
   */
  open(candidate: FiringCandidate, demand: FiringDemand, free: number): number | null {
    const claim = onlyClaim(demand);
    if (claim === null) return null;
    const slot = this.#slots++;
    const maxRuns = this.#isScarceKey(claim, free) ? this.#maxRunsOf(candidate) : 1;
    if (maxRuns <= 1) return null;
    this.#open.set(claim.key, { slot, maxRuns, runs: 1 });
    return slot;
  }

  #maxRunsOf({ jobDetail: { jobType } }: FiringCandidate): number {
    return Object.hasOwn(this.#maxRuns, jobType) ? (this.#maxRuns[jobType] ?? 1) : 1;
  }

  /** True if the batch demanded more than a small share of the limit's capacity when it first used it. */
  #isScarceKey({ key }: LimitClaim, free: number): boolean {
    const isScarce = this.#isScarce.get(key) ?? (this.#demanded.get(key) ?? 0) > free * PLENTY;
    this.#isScarce.set(key, isScarce);
    return isScarce;
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
  if (!firings.some(({ slot, holds }) => slot !== undefined && holds !== undefined)) return firings;
  const last = new Map(firings.map((firing) => [firing.slot, firing]));
  return firings.map((firing) => {
    if (firing.holds === undefined || firing.slot === undefined || last.get(firing.slot) === firing) return firing;
    const { holds: _, isAwaited: __, ...rest } = firing;
    return rest as T;
  });
}
