import type { EpochMs } from '../../base/clock';
import type { DueTriggers } from '../../domain/acquisition';
import { BatchLimiter, ENDS_BATCH, LimitCapacity } from '../../domain/batch-limiter';
import type { FiringTerms } from '../../domain/firing';
import type { GroupCapacity } from '../../domain/group-limits';
import type { MisfireClock } from '../../domain/misfire';
import { availableFrom, placementOf } from '../../domain/placement';
import type { AcquireResult } from '../job-store';
import { partsOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { saveRates } from './rate-turns';

/** Due triggers that prefer other nodes and are not late enough for this node. They are not in the due queue while a batch is built. */
export class FallbackTriggers {
  readonly #tables: MemoryTables;
  readonly #clock: MisfireClock;
  readonly #entries: TriggerEntry[] = [];
  /** Time from which this node may fire the first of these triggers. */
  #availableAt = Number.POSITIVE_INFINITY;

  constructor(tables: MemoryTables, clock: MisfireClock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** If this node may not fire the trigger yet, sets the trigger aside and returns true. Otherwise returns false. */
  takes(entry: TriggerEntry): boolean {
    const placement = placementOf(partsOf(entry));
    if (placement === null) return false;
    const from = availableFrom(placement, entry.trigger.nextFireTime ?? 0, this.#tables.due.scope, this.#clock);
    if (from === null || from <= this.#clock.now) return false;
    this.#entries.push(entry);
    this.#availableAt = Math.min(this.#availableAt, from);
    return true;
  }

  /** True if the batch must end before this trigger. A batch of later triggers would delay the node's next poll beyond `#availableAt`. */
  endsBatchBefore({ trigger }: TriggerEntry): boolean {
    return (trigger.nextFireTime ?? 0) > this.#availableAt;
  }

  giveBack(): Pick<AcquireResult, 'pollAgainAt'> {
    for (const entry of this.#entries) this.#tables.due.add(entry);
    return this.#entries.length === 0 ? {} : { pollAgainAt: this.#availableAt };
  }
}

interface CandidateRules {
  readonly fireBy: EpochMs;
  readonly now: EpochMs;
  readonly fallback: FallbackTriggers;
  /** Remaining capacity of the limited job groups on this node; null if no group has a limit. */
  readonly capacity: GroupCapacity | null;
}

/** Offers the due triggers whose limits have capacity. Makes the other due triggers wait for their limits. */
export class Candidates implements DueTriggers<TriggerEntry> {
  readonly #tables: MemoryTables;
  readonly #due: DueTriggers<TriggerEntry>;
  readonly #rules: CandidateRules;
  readonly #limits: LimitCapacity;
  readonly #limiter: BatchLimiter;
  readonly #terms = new Map<TriggerEntry, FiringTerms>();
  #hasRefused = false;

  constructor(tables: MemoryTables, due: DueTriggers<TriggerEntry>, rules: CandidateRules) {
    this.#tables = tables;
    this.#due = due;
    this.#rules = rules;
    this.#limits = new LimitCapacity(tables.limits, rules.now);
    this.#limiter = new BatchLimiter(this.#limits, rules.fireBy, tables.groupLimits);
  }

  /** Must be called after the last trigger of the batch was taken. */
  saveRates(): void {
    saveRates(this.#tables, this.#limits.rateChanges(), this.#rules.now);
  }

  /** Returns the effects of limits and rules on an acquired trigger's firing; undefined if there are none. */
  termsOf(entry: TriggerEntry): FiringTerms | undefined {
    return this.#terms.get(entry);
  }

  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    const { fallback, capacity } = this.#rules;
    for (;;) {
      const entry = this.#due.takeDueBy(time);
      if (entry === null) return null;
      if (fallback.takes(entry)) {
        this.#hasRefused = true;
        continue;
      }
      const verdict = fallback.endsBatchBefore(entry) ? ENDS_BATCH : this.#limiter.judge(partsOf(entry));
      if (verdict.status === 'taken') {
        if (verdict.terms !== null) this.#terms.set(entry, verdict.terms);
        capacity?.take(entry.job.detail.key.group);
        return entry;
      }
      if (verdict.status === 'endsBatch') {
        this.#tables.due.add(entry);
        return null;
      }
      this.#tables.refuse(entry, verdict);
      this.#hasRefused = true;
    }
  }
}
