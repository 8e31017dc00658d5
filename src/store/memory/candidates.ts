import type { EpochMs } from '../../base/clock';
import type { DueTriggers } from '../../domain/acquisition';
import { BatchLimiter, ENDS_BATCH, LimitRoom } from '../../domain/batch-limiter';
import type { FiringTerms } from '../../domain/firing';
import type { GroupRoom } from '../../domain/group-limits';
import type { MisfireClock } from '../../domain/misfire';
import { availableFrom, placementOf } from '../../domain/placement';
import type { AcquireResult } from '../job-store';
import { partsOf, type TriggerEntry } from './entries';
import type { MemoryTables } from './memory-tables';
import { saveRates } from './rate-turns';

/** What prefers other nodes, and is not so late yet that this one may fire it: out of the queue while a batch is taken. */
export class PatientTriggers {
  readonly #tables: MemoryTables;
  readonly #clock: MisfireClock;
  readonly #entries: TriggerEntry[] = [];
  /** When the first of them may be fired here. */
  #availableAt = Number.POSITIVE_INFINITY;

  constructor(tables: MemoryTables, clock: MisfireClock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Whether the trigger is one of them, and so none of the batch. */
  takes(entry: TriggerEntry): boolean {
    const placement = placementOf(partsOf(entry));
    if (placement === null) return false;
    const from = availableFrom(placement, entry.trigger.nextFireTime ?? 0, this.#tables.due.scope, this.#clock);
    if (from === null || from <= this.#clock.now) return false;
    this.#entries.push(entry);
    this.#availableAt = Math.min(this.#availableAt, from);
    return true;
  }

  /** A batch of what is later still would keep the node from looking again in time. */
  endsBatchBefore({ trigger }: TriggerEntry): boolean {
    return (trigger.nextFireTime ?? 0) > this.#availableAt;
  }

  giveBack(): Pick<AcquireResult, 'pollAgainAt'> {
    for (const entry of this.#entries) this.#tables.due.add(entry);
    return this.#entries.length === 0 ? {} : { pollAgainAt: this.#availableAt };
  }
}

/** What decides which of the due triggers are taken. */
interface CandidateRules {
  readonly fireBy: EpochMs;
  readonly now: EpochMs;
  readonly patient: PatientTriggers;
  /** What limits of groups leave on the node; null: no group has one. */
  readonly room: GroupRoom | null;
}

/** What is due and finds room under its limit; the rest waits from now on. */
export class Candidates implements DueTriggers<TriggerEntry> {
  readonly #tables: MemoryTables;
  readonly #due: DueTriggers<TriggerEntry>;
  readonly #limits: LimitRoom;
  readonly #limiter: BatchLimiter;
  readonly #patient: PatientTriggers;
  readonly #room: GroupRoom | null;
  readonly #terms = new Map<TriggerEntry, FiringTerms>();
  #hasRefused = false;

  constructor(tables: MemoryTables, due: DueTriggers<TriggerEntry>, { fireBy, now, patient, room }: CandidateRules) {
    this.#room = room;
    this.#patient = patient;
    this.#tables = tables;
    this.#due = due;
    this.#limits = new LimitRoom(tables.limits, now);
    this.#limiter = new BatchLimiter(this.#limits, fireBy, tables.groupLimits);
  }

  /** Writes what the batch changes of rates. To be called when it is complete. */
  saveRates(now: EpochMs): void {
    saveRates(this.#tables, this.#limits.rateChanges(), now);
  }

  /** Under which one fires that was taken. */
  termsOf(entry: TriggerEntry): FiringTerms | undefined {
    return this.#terms.get(entry);
  }

  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  takeDueBy(time: EpochMs): TriggerEntry | null {
    for (;;) {
      const entry = this.#due.takeDueBy(time);
      if (entry === null) return null;
      if (this.#patient.takes(entry)) {
        this.#hasRefused = true;
        continue;
      }
      const verdict = this.#patient.endsBatchBefore(entry) ? ENDS_BATCH : this.#limiter.judge(partsOf(entry));
      if (verdict.status === 'taken') {
        if (verdict.terms !== null) this.#terms.set(entry, verdict.terms);
        this.#room?.take(entry.job.detail.key.group);
        return entry;
      }
      if (verdict.status === 'endsBatch') {
        this.#tables.due.add(entry);
        return null;
      }
      this.#tables.makeWait(entry, verdict);
      this.#hasRefused = true;
    }
  }
}
