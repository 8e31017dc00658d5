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

/** A firing that was deferred because of its rate and has not begun. */
export interface PutOff {
  readonly key: TriggerKey;
  /** Time at which it was due; firings of a key begin in this order. */
  readonly due: EpochMs;
  /** Next fire time of its trigger. Null if it cannot be moved, because it is not stored yet or a node has reserved it. */
  readonly turn: EpochMs | null;
}

/** Stored state of rates. */
export interface StoredRates {
  /** Returns the state of a key; null if it has none. */
  rateOf(key: string): RateState | null;
  /** Returns the first `MAX_LINE` waiting firings that could begin, in their order. */
  lineOf(key: string): readonly PutOff[];
}

/** Maximum number of waiting firings to read at a time. The others are moved as the queue advances. */
export const MAX_LINE = 100;

/** A waiting trigger with a new fire time. */
export interface MovedTurn {
  readonly key: TriggerKey;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Range of times of the coming turns: the first, and the last. */
export interface ComingTurns {
  readonly first: EpochMs;
  readonly last: EpochMs;
}

/** Changes that a batch makes to rates. */
export interface RateChanges {
  readonly states: ReadonlyMap<string, RateState>;
  /** Triggers that are not part of the batch. */
  readonly moved: readonly MovedTurn[];
  /** Coming turns after the batch, for each key with waiting firings. */
  readonly coming: readonly ComingTurns[];
}

/** Decision about a due firing under a rate. `moves`: it was deferred before, and gets another fire time. */
export type RateVerdict =
  | { readonly status: 'begins' }
  | { readonly status: 'putOff'; readonly finding: FiringFinding; readonly line?: RateLine }
  | { readonly status: 'moves'; readonly to: EpochMs };

/** The rates of one batch. Call it in firing order. */
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
    const { to, swapsWith } = verdict;
    if (isOutOfTime({ trigger, jobDetail, scheduledFireTime, fireTime: to })) {
      book.leave(trigger.key);
      return { status: 'putOff', finding: { status: 'skip', reason: 'rate', until: to } };
    }
    book.give(to, { key: trigger.key, due: verdict.due, swapsWith }, fireTime);
    if (demand.isPutOff) return { status: 'moves', to };
    const joins = { key: demand.key, due: verdict.due };
    return { status: 'putOff', finding: { status: 'defer', reason: 'rate', until: to }, line: { joins } };
  }

  /** Returns the changes. Call it once, when the batch is complete. */
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
    const known = this.#books.get(key);
    if (known !== undefined) {
      known.adopt(rule, now);
      return known;
    }
    const book = new RateBook(this.#stored.rateOf(key), this.#stored.lineOf(key));
    book.adopt(rule, now);
    this.#books.set(key, book);
    return book;
  }
}

/** A firing that requests a turn. */
interface Asking {
  readonly key: TriggerKey;
  /** Fire time of its trigger. */
  readonly time: EpochMs;
  readonly isPutOff: boolean;
}

type BookVerdict =
  | { readonly status: 'begins'; readonly turn: EpochMs }
  | { readonly status: 'later'; readonly to: EpochMs; readonly due: EpochMs; readonly swapsWith: Waiting | null };

/** A waiting firing, as the batch leaves it. */
interface Waiting {
  readonly text: string;
  readonly key: TriggerKey;
  readonly due: EpochMs;
  /** Stored fire time. Null if it must not be changed. */
  readonly from: EpochMs | null;
  turn: EpochMs | null;
}

/** Rate state of one key within a batch. */
class RateBook {
  readonly #kept: RateState | null;
  readonly #isWhole: boolean;
  readonly #line: Waiting[];
  /** Firings that fire right after the batch, in place of others. */
  readonly #promised = new Set<Waiting>();
  #rule: RateRule | null = null;
  state: RateState;

  constructor(kept: RateState | null, line: readonly PutOff[]) {
    this.#kept = kept;
    this.#isWhole = line.length < MAX_LINE;
    this.#line = line.map(({ key, due, turn }) => ({ key, text: keyText(key), due, from: turn, turn }));
    this.state = kept as RateState;
  }

  get isChanged(): boolean {
    return this.state !== this.#kept;
  }

  /** Applies the rule of the next firing. */
  adopt(rule: RateRule, now: EpochMs): void {
    this.#rule = rule;
    this.state = presentState(this.state, rule, now);
    if (!this.#isWhole) return;
    // Firings that were deleted since then have freed their turns.
    const { spread } = turnsOf(this.state, rule, now, this.#line.length);
    const planned = this.#line.length === 0 ? this.state.spread : spread;
    if (planned !== this.state.planned) this.state = { ...this.state, planned };
  }

  judge({ key, time, isPutOff }: Asking, now: EpochMs): BookVerdict {
    const rule = this.#rule as RateRule;
    const text = keyText(key);
    const own = isPutOff ? this.#line.find((each) => each.text === text) : undefined;
    const due = own?.due ?? time;
    // Firings whose turn has passed were held back for another reason, so later firings need not wait for them.
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
      if (first === undefined) return { status: 'begins', turn: this.#turnOfBegin({ time, due, isPutOff }, now) };
      return { status: 'later', due, to: Math.max(first.turn as EpochMs, now + 1), swapsWith: first };
    }
    const position = ahead.length + this.#promised.size;
    const earliest = turnsOf(this.state, rule, now, position + 1).turns[position] as EpochMs;
    const isBeyond = own === undefined && isPutOff && !this.#isWhole;
    const last = isBeyond ? lastTurn(this.state, rule, now) : turn;
    return { status: 'later', due, to: Math.max(last, earliest, now + 1), swapsWith: null };
  }

  /** Returns the turn of a firing that begins. A deferred firing whose turn has come counts from the time at which it was due. */
  #turnOfBegin({ time, due, isPutOff }: Omit<Asking, 'key'> & { readonly due: EpochMs }, now: EpochMs): EpochMs {
    const rule = this.#rule as RateRule;
    if (!isPutOff) return lastTurn(this.state, rule, Math.min(now, Math.max(time, now - rule.per)));
    return time > due ? time : Math.min(now, turnsOf(this.state, rule, time, 1).turns[0] as EpochMs);
  }

  begin(turn: EpochMs, at: EpochMs, key: TriggerKey): void {
    this.state = afterBegin(this.state, this.#rule as RateRule, { at, turn });
    this.leave(key);
  }

  leave(key: TriggerKey): void {
    const text = keyText(key);
    const index = this.#line.findIndex((each) => each.text === text);
    if (index >= 0) this.#line.splice(index, 1);
  }

  /** Gives a turn to a firing. `swapsWith`: the firing that fires now in its place. */
  give(
    turn: EpochMs,
    { key, due, swapsWith }: { readonly key: TriggerKey; readonly due: EpochMs; readonly swapsWith: Waiting | null },
    now: EpochMs,
  ): void {
    if (swapsWith !== null) {
      swapsWith.turn = Math.min(swapsWith.due, now);
      this.#promised.add(swapsWith);
    } else this.state = afterPlanning(this.state, this.#rule as RateRule, turn);
    const text = keyText(key);
    this.leave(key);
    const index = this.#line.findIndex((each) => isBefore({ due, text }, each));
    this.#line.splice(index < 0 ? this.#line.length : index, 0, { key, text, due, from: null, turn });
  }

  /** Returns the range of turns of the waiting firings; null if there are none. Call it after `finish`. */
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

  /** Moves waiting firings forward if they could begin earlier than planned. Returns all moved firings. */
  finish(now: EpochMs): readonly MovedTurn[] {
    const rule = this.#rule;
    if (rule === null) return [];
    const { turns } = turnsOf(this.state, rule, now, this.#line.length);
    const tolerance = Math.min(1_000, 50 + spacingOf(rule) / MICROS / 10);
    return this.#line.flatMap((each, index): readonly MovedTurn[] => {
      const { key, from, turn } = each;
      const earliest = turns[index] as EpochMs;
      const to = turn !== null && turn > earliest + tolerance ? earliest : turn;
      each.turn = to;
      return from === null || to === null || to === from ? [] : [{ key, from, to }];
    });
  }
}

function isBefore(
  a: { readonly due: EpochMs; readonly text: string },
  b: { readonly due: EpochMs; readonly text: string },
): boolean {
  return a.due === b.due ? a.text < b.text : a.due < b.due;
}
