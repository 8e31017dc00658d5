import type { EpochMs } from '../base/clock';
import { isOutOfTime } from './admission';
import type { FiringFinding, RateLine } from './firing';
import { keyText, type TriggerKey } from './keys';
import type { FiringCandidate, RateDemand } from './limit-claims';
import type { RateRule } from './rate-limit';
import {
  afterBegin,
  afterPlanning,
  capacityAt,
  lastTurn,
  MICROS,
  presentState,
  type RateState,
  spacingOf,
  turnsOf,
} from './rate-state';

/** A firing that waits for its turn under a rate limit. */
export interface PutOff {
  readonly key: TriggerKey;
  /** Original fire time. Firings with the same key start in this order. */
  readonly due: EpochMs;
  /** Next fire time of its trigger. Null if it cannot be changed, because the trigger is not stored yet or a node has acquired it. */
  readonly turn: EpochMs | null;
}

export interface StoredRates {
  /** Returns the stored state of the limit with this key; null if none is stored. */
  rateOf(key: string): RateState | null;
  /** Returns the first `MAX_LINE` waiting firings of a limit key, in order, without firings that something else, such as a pause, prevents. */
  lineOf(key: string): readonly PutOff[];
}

/** Maximum number of waiting firings that a batch reads per limit key. Later batches assign new fire times to firings beyond this number. */
export const MAX_LINE = 100;

export interface MovedTurn {
  readonly key: TriggerKey;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** First and last time at which the waiting firings of a limit key will start. */
export interface ComingTurns {
  readonly first: EpochMs;
  readonly last: EpochMs;
}

export interface RateChanges {
  readonly states: ReadonlyMap<string, RateState>;
  /** Waiting triggers outside the batch that get new fire times. */
  readonly moved: readonly MovedTurn[];
  /** Times of the next turns, one entry per limit key with waiting firings. */
  readonly coming: readonly ComingTurns[];
}

/** Decision about a due firing. `begins`: it starts. `putOff`: it is deferred or skipped. `moves`: deferred before, it moves to a later time. */
export type RateVerdict =
  | { readonly status: 'begins' }
  | { readonly status: 'putOff'; readonly finding: FiringFinding; readonly line?: RateLine }
  | { readonly status: 'moves'; readonly to: EpochMs };

/** Applies rate limits to one batch. Call `judge` in firing order. */
export class RateCapacity {
  readonly #stored: StoredRates;
  readonly #books = new Map<string, RateBook>();

  constructor(stored: StoredRates) {
    this.#stored = stored;
  }

  judge(candidate: FiringCandidate, demand: RateDemand, fireTime: EpochMs): RateVerdict {
    const { trigger, jobDetail } = candidate;
    const scheduledFireTime = trigger.nextFireTime ?? fireTime;
    const book = this.#bookOf(demand, fireTime);
    const verdict = book.judge({ key: trigger.key, time: scheduledFireTime, isPutOff: demand.isPutOff }, fireTime);
    if (verdict.status === 'begins') {
      book.begin(verdict.turn, fireTime, trigger.key);
      return { status: 'begins' };
    }
    const { to, due } = verdict;
    if (isOutOfTime({ trigger, jobDetail, scheduledFireTime, fireTime: to })) {
      book.leave(trigger.key);
      return { status: 'putOff', finding: { status: 'skip', reason: 'rate', until: to } };
    }
    book.give(trigger.key, verdict, fireTime);
    if (demand.isPutOff) return { status: 'moves', to };
    const finding = { status: 'defer', reason: 'rate', until: to } as const;
    return { status: 'putOff', finding, line: { joins: { key: demand.key, due } } };
  }

  /** Returns the changes that the batch makes. Call this method once, when the batch is complete. */
  changes(now: EpochMs): RateChanges {
    const states = new Map<string, RateState>();
    const moved: MovedTurn[] = [];
    const coming: ComingTurns[] = [];
    for (const [key, book] of this.#books) {
      for (const turn of book.finish(now)) moved.push(turn);
      const turns = book.coming();
      if (turns !== null) coming.push(turns);
      if (book.isChanged) states.set(key, book.state);
    }
    return { states, moved, coming };
  }

  #bookOf({ key, rule }: RateDemand, now: EpochMs): RateBook {
    const book = this.#books.get(key) ?? new RateBook(rule, this.#stored.rateOf(key), this.#stored.lineOf(key));
    this.#books.set(key, book);
    book.adopt(rule, now);
    return book;
  }
}

interface RateRequest {
  readonly key: TriggerKey;
  readonly time: EpochMs;
  readonly isPutOff: boolean;
}

interface LaterTurn {
  readonly status: 'later';
  readonly to: EpochMs;
  readonly due: EpochMs;
  /** Waiting firing that starts now in exchange; null if the turn is new. */
  readonly swapsWith: Waiting | null;
}

type BookVerdict = { readonly status: 'begins'; readonly turn: EpochMs } | LaterTurn;

/** A waiting firing, with its fire time as changed by the batch. */
interface Waiting {
  readonly text: string;
  readonly key: TriggerKey;
  readonly due: EpochMs;
  /** Stored fire time; null if it must not be changed. */
  readonly from: EpochMs | null;
  turn: EpochMs | null;
}

/** State of one key of a rate limit while a batch is assembled. */
class RateBook {
  readonly #kept: RateState | null;
  readonly #isWhole: boolean;
  readonly #line: Waiting[];
  /** Waiting firings that took over the turn of a firing in this batch that was due later. They start immediately after the batch. */
  readonly #promised = new Set<Waiting>();
  #rule: RateRule;
  state: RateState;

  constructor(rule: RateRule, kept: RateState | null, line: readonly PutOff[]) {
    this.#rule = rule;
    this.#kept = kept;
    this.#isWhole = line.length < MAX_LINE;
    this.#line = line.map(({ key, due, turn }) => ({ key, text: keyText(key), due, from: turn, turn }));
    this.state = kept as RateState;
  }

  get isChanged(): boolean {
    return this.state !== this.#kept;
  }

  /** Sets the rate limit of the next firing, which may differ from that of the last one, and updates the state for it. */
  adopt(rule: RateRule, now: EpochMs): void {
    this.#rule = rule;
    this.state = presentState(this.state, rule, now);
    if (!this.#isWhole) return;
    // Recalculates the turns, because waiting firings may have been deleted since the turns were assigned.
    const { spread } = turnsOf(this.state, rule, now, this.#line.length);
    const planned = this.#line.length === 0 ? this.state.spread : spread;
    if (planned !== this.state.planned) this.state = { ...this.state, planned };
  }

  judge({ key, time, isPutOff }: RateRequest, now: EpochMs): BookVerdict {
    const rule = this.#rule;
    const text = keyText(key);
    const own = isPutOff ? this.#line.find((each) => each.text === text) : undefined;
    const due = own?.due ?? time;
    // Later firings need not wait for firings whose turn has passed, because something other than the rate limit prevented their start.
    const ahead = this.#line.filter(
      (each) =>
        each !== own &&
        !this.#promised.has(each) &&
        isBefore(each, { due, text }) &&
        each.turn !== null &&
        each.turn > time,
    );
    const arrival = Math.min(now, Math.max(time, now - rule.per));
    const turn = isPutOff ? time : lastTurn(this.state, rule, arrival);
    if (own !== undefined) this.#promised.delete(own);
    const capacity = capacityAt(this.state, rule, now) - this.#promised.size;
    const [first] = ahead;
    if (capacity > 0 && turn <= now) {
      if (first !== undefined) {
        return { status: 'later', due, to: Math.max(first.turn as EpochMs, now + 1), swapsWith: first };
      }
      // A deferred firing whose turn has come counts from its planned time, not from its actual start.
      const isUnplanned = isPutOff && time <= due;
      const planned = isUnplanned ? Math.min(now, turnsOf(this.state, rule, time, 1).turns[0] as EpochMs) : turn;
      return { status: 'begins', turn: planned };
    }
    const position = ahead.length + this.#promised.size;
    const earliest = turnsOf(this.state, rule, now, position + 1).turns[position] as EpochMs;
    const isBeyond = own === undefined && isPutOff && !this.#isWhole;
    const last = isBeyond ? lastTurn(this.state, rule, now) : turn;
    return { status: 'later', due, to: Math.max(last, earliest, now + 1), swapsWith: null };
  }

  begin(turn: EpochMs, at: EpochMs, key: TriggerKey): void {
    this.state = afterBegin(this.state, this.#rule, { at, turn });
    this.leave(key);
  }

  leave(key: TriggerKey): void {
    const text = keyText(key);
    const index = this.#line.findIndex((each) => each.text === text);
    if (index >= 0) this.#line.splice(index, 1);
  }

  /** Assigns a turn to a firing. */
  give(key: TriggerKey, { to: turn, due, swapsWith }: LaterTurn, now: EpochMs): void {
    if (swapsWith !== null) {
      swapsWith.turn = Math.min(swapsWith.due, now);
      this.#promised.add(swapsWith);
    } else this.state = afterPlanning(this.state, this.#rule, turn);
    const text = keyText(key);
    this.leave(key);
    const index = this.#line.findIndex((each) => isBefore({ due, text }, each));
    this.#line.splice(index < 0 ? this.#line.length : index, 0, { key, text, due, from: null, turn });
  }

  /** Returns the first and last turn of the waiting firings; null if there are none. Call this method after `finish`. */
  coming(): ComingTurns | null {
    let first = Number.POSITIVE_INFINITY;
    let last = this.#isWhole ? Number.NEGATIVE_INFINITY : Math.ceil(this.state.planned / MICROS);
    for (const { due, turn } of this.#line) {
      if (turn === null || turn <= due) continue;
      first = Math.min(first, turn);
      last = Math.max(last, turn);
    }
    return first === Number.POSITIVE_INFINITY ? null : { first, last };
  }

  /** Moves waiting firings to earlier turns where possible. Returns all firings whose fire times have changed. */
  finish(now: EpochMs): readonly MovedTurn[] {
    const { turns } = turnsOf(this.state, this.#rule, now, this.#line.length);
    const tolerance = Math.min(1_000, 50 + spacingOf(this.#rule) / MICROS / 10);
    return this.#line.flatMap((each, index): readonly MovedTurn[] => {
      const { key, from, turn } = each;
      const earliest = turns[index] as EpochMs;
      const to = turn !== null && turn > earliest + tolerance ? earliest : turn;
      each.turn = to;
      return from === null || to === null || to === from ? [] : [{ key, from, to }];
    });
  }
}

function isBefore(a: Pick<Waiting, 'due' | 'text'>, b: Pick<Waiting, 'due' | 'text'>): boolean {
  return a.due === b.due ? a.text < b.text : a.due < b.due;
}
