import type { EpochMs } from '../base/clock';
import { isOutOfTime } from './admission';
import type { FiringFinding, RateLine } from './firing';
import { keyText, type TriggerKey } from './keys';
import type { FiringCandidate, RateDemand } from './limit-claims';
import type { RateRule } from './rate-limit';
import {
  afterBegin,
  afterPlanning,
  lastTurn,
  MICROS,
  presentState,
  type RateState,
  roomAt,
  spacingOf,
  turnsOf,
} from './rate-state';

/** A firing that was put off because of its rate and has not begun. */
export interface PutOff {
  readonly key: TriggerKey;
  /** When it was due: the order in which firings of a key begin. */
  readonly due: EpochMs;
  /** When its trigger fires next; null: it cannot be moved, because it is not stored yet or is reserved by a node. */
  readonly turn: EpochMs | null;
}

/** What is stored of rates. */
export interface StoredRates {
  /** Null: nothing is known of the key. */
  rateOf(key: string): RateState | null;
  /** The first `MAX_LINE` of those that wait, in their order; only what could begin. */
  lineOf(key: string): readonly PutOff[];
}

/** More of the firings that wait are not read at once: they are moved as the line advances. */
export const MAX_LINE = 100;

/** A waiting trigger that comes up at another time than before. */
export interface MovedTurn {
  readonly key: TriggerKey;
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Between which times turns come up: the first, and the last. */
export interface ComingTurns {
  readonly first: EpochMs;
  readonly last: EpochMs;
}

/** What a batch changes of rates. */
export interface RateChanges {
  readonly states: ReadonlyMap<string, RateState>;
  /** Triggers that are not part of the batch. */
  readonly moved: readonly MovedTurn[];
  /** For each key under which firings wait, as the batch leaves them. */
  readonly coming: readonly ComingTurns[];
}

/** What becomes of a due firing under a rate. `moves`: it is a trigger that was put off before, and fires at another time. */
export type RateVerdict =
  | { readonly status: 'begins' }
  | { readonly status: 'putOff'; readonly finding: FiringFinding; readonly line?: RateLine }
  | { readonly status: 'moves'; readonly to: EpochMs };

/** The rates of one batch. To be asked in the order in which triggers fire. */
export class RateRoom {
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

  /** To be asked once, when the batch is complete. */
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

/** A firing that asks. */
interface Asking {
  readonly key: TriggerKey;
  /** When its trigger was to fire. */
  readonly time: EpochMs;
  readonly isPutOff: boolean;
}

type BookVerdict =
  | { readonly status: 'begins'; readonly turn: EpochMs }
  | { readonly status: 'later'; readonly to: EpochMs; readonly due: EpochMs; readonly swapsWith: Waiting | null };

/** One that waits, as the batch leaves it. */
interface Waiting {
  readonly text: string;
  readonly key: TriggerKey;
  readonly due: EpochMs;
  /** As it is stored; null: it must not be moved. */
  readonly from: EpochMs | null;
  turn: EpochMs | null;
}

/** One key within a batch. */
class RateBook {
  readonly #kept: RateState | null;
  readonly #isWhole: boolean;
  readonly #line: Waiting[];
  /** Those that come up right after the batch, in place of others. */
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

  /** The rule of the firing that asks next. */
  adopt(rule: RateRule, now: EpochMs): void {
    this.#rule = rule;
    this.state = presentState(this.state, rule, now);
    if (!this.#isWhole) return;
    // What has been deleted since has left its turns to others.
    const { spread } = turnsOf(this.state, rule, now, this.#line.length);
    const planned = this.#line.length === 0 ? this.state.spread : spread;
    if (planned !== this.state.planned) this.state = { ...this.state, planned };
  }

  judge({ key, time, isPutOff }: Asking, now: EpochMs): BookVerdict {
    const rule = this.#rule as RateRule;
    const text = keyText(key);
    const own = isPutOff ? this.#line.find((each) => each.text === text) : undefined;
    const due = own?.due ?? time;
    // What was to come up before it has been passed over for a reason of its own, and keeps nobody waiting.
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
    const room = roomAt(this.state, rule, now) - this.#promised.size;
    const [first] = ahead;
    if (room > 0 && turn <= now) {
      if (first === undefined) return { status: 'begins', turn: this.#turnOfBegin({ time, due, isPutOff }, now) };
      return { status: 'later', due, to: Math.max(first.turn as EpochMs, now + 1), swapsWith: first };
    }
    const position = ahead.length + this.#promised.size;
    const earliest = turnsOf(this.state, rule, now, position + 1).turns[position] as EpochMs;
    const isBeyond = own === undefined && isPutOff && !this.#isWhole;
    const last = isBeyond ? lastTurn(this.state, rule, now) : turn;
    return { status: 'later', due, to: Math.max(last, earliest, now + 1), swapsWith: null };
  }

  /** When a firing that begins was to begin: what waited and has come up fires for the time at which it was due. */
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

  /** Gives a turn to a firing; `swapsWith`: what comes up now in its place. */
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

  /** When those come up that wait; null: none will. To be asked after `finish`. */
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

  /** Moves forward what would come up later than it may begin; all that moves. */
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
