import type { EpochMs } from '../base/clock';
import type { RateRule } from './rate-limit';

/** A number of firings, and the time at which the last of them started or will start. */
type StartedCount = readonly [at: EpochMs, count: number];

/** State of one key of a rate limit: firings that have started, and turns that are assigned. */
export interface RateState {
  /** Firings that started, oldest first. */
  readonly started: readonly StartedCount[];
  /** Earliest time at which a new firing may start if no firing waits. In microseconds, because several firings may start within a millisecond. */
  readonly spread: number;
  /** Earliest time at which a new firing may start after all firings that already wait, in microseconds. */
  readonly planned: number;
  /** Rate limit for which `planned` was computed, as a string. */
  readonly rule: string;
  /** `length`: how long `started` is kept, for the longest recently used period. `usedAt`: when a firing last needed it. Milliseconds. */
  readonly window: readonly [length: number, usedAt: EpochMs];
}

const UNUSED: RateState = { started: [], spread: 0, planned: 0, rule: '', window: [0, 0] };

export const MICROS = 1_000;
const MAX_SLACK = 1_000;
/** Maximum number of individual entries in `started`. Above this number, entries within one hundredth of the period are merged. */
const MAX_EXACT = 100;
/** Assumed maximum clock difference between nodes. A stored time further in the future was written before a clock was set back. */
const CLOCKS_DIFFER_MS = 5_000;

/** Slack in milliseconds: how much later than recorded a firing may start without violating the limit. 1/25 of the period, at most one second. */
function slackOf({ per }: Pick<RateRule, 'per'>): number {
  return Math.min(MAX_SLACK, Math.floor(per / 25));
}

/** Returns how long a firing counts towards the limit after its recorded time, in milliseconds. */
export function windowOf(rule: Pick<RateRule, 'per'>): number {
  return rule.per + slackOf(rule);
}

/** Width in milliseconds of the intervals in which start times are merged, for a period of `span`. Merged firings count at the latest time. */
function grainOf(span: number): number {
  return Math.max(1, Math.floor(span / MAX_EXACT));
}

/** Returns the interval between evenly spaced firings. At most 5 % longer than `per / limit`. Microseconds. */
export function spacingOf(rule: RateRule): number {
  const grain = rule.limit > MAX_EXACT ? grainOf(rule.per) : 0;
  return Math.ceil(((windowOf(rule) + grain) * MICROS) / rule.limit);
}

/** Number of further firings that may start at `time`. Negative if more count than the limit allows, for example after it was lowered. */
export function capacityAt(state: RateState, rule: RateRule, time: EpochMs): number {
  const since = time - windowOf(rule);
  return state.started.reduce((capacity, [at, count]) => (at > since ? capacity - count : capacity), rule.limit);
}

/** Returns the next evenly spaced turn, in milliseconds. `spread`: value of `RateState.spread`, in microseconds. */
function turnAfter(spread: number, rule: RateRule): EpochMs {
  return Math.ceil((spread - (rule.burst - 1) * spacingOf(rule)) / MICROS);
}

/** Turns are rounded to milliseconds, but `spread` is not, so that rounding errors do not accumulate. */
function spreadAfterTurn(spread: number, rule: RateRule, turn: EpochMs): number {
  const at = turn * MICROS;
  return (at - spread < MICROS ? spread : at) + spacingOf(rule);
}

/** Returns the turn of a firing that arrives at `arrival` and starts after all waiting firings. */
export function lastTurn({ planned }: RateState, rule: RateRule, arrival: EpochMs): EpochMs {
  return Math.max(arrival, turnAfter(planned, rule));
}

/** Returns the earliest turns of the next `count` firings from `now` on, and the value of `spread` after them. */
export function turnsOf(state: RateState, rule: RateRule, now: EpochMs, count: number) {
  const window = windowOf(rule);
  const inWindow = state.started.filter(([at]) => at > now - window);
  const started = inWindow.reduce((sum, [, each]) => sum + each, 0);
  const turns: EpochMs[] = [];
  let { spread } = state;
  let entry = 0;
  let passed = inWindow[0]?.[1] ?? 0; // number of firings up to and including this entry
  for (let index = 0; index < count; index++) {
    const leaving = started + index - rule.limit; // index of the last firing that must leave the period before this one may start
    let free = now;
    if (leaving >= started) free = (turns[leaving - started] as EpochMs) + window;
    else if (leaving >= 0) {
      while (passed <= leaving) passed += (inWindow[++entry] as StartedCount)[1];
      free = (inWindow[entry] as StartedCount)[0] + window;
    }
    const turn = Math.max(now, free, turnAfter(spread, rule));
    turns.push(turn);
    spread = spreadAfterTurn(spread, rule, turn);
  }
  return { turns, spread };
}

/** State after a firing starts at `at`. Later turns are spaced from `turn`, its planned time, so that a late start does not delay them. */
export function afterBegin(
  state: RateState,
  rule: RateRule,
  { at, turn }: { readonly at: EpochMs; readonly turn: EpochMs },
): RateState {
  const arrival = Math.max(turn, at - rule.per);
  const spread = spreadAfterTurn(state.spread, rule, arrival);
  const window = windowKept(state, rule, at);
  return {
    ...state,
    started: withStarted(state.started, at, { rule, window: window[0] }),
    spread,
    planned: Math.max(state.planned, spread),
    window,
  };
}

/** Returns the state after a turn was assigned behind the turns of all waiting firings. */
export function afterPlanning(state: RateState, rule: RateRule, turn: EpochMs): RateState {
  return { ...state, planned: spreadAfterTurn(state.planned, rule, turn) };
}

function windowKept({ window: [length, usedAt] }: RateState, rule: RateRule, now: EpochMs): RateState['window'] {
  const own = windowOf(rule);
  return own >= length || now - usedAt > length ? [own, now] : [length, usedAt];
}

function withStarted(
  started: readonly StartedCount[],
  at: EpochMs,
  { rule, window }: { readonly rule: RateRule; readonly window: number },
): readonly StartedCount[] {
  const kept = started.filter(([time]) => time > at - window);
  const index = kept.findLastIndex(([time]) => time <= at) + 1;
  const all = [...kept.slice(0, index), [at, 1] as const, ...kept.slice(index)];
  if (all.length <= MAX_EXACT) return all;
  // Times outside this rate limit's own period count only for longer periods, so they may be merged more coarsely.
  const own = at - windowOf(rule);
  return merged(all, (time) => grainOf(time > own ? rule.per : window));
}

function merged(started: readonly StartedCount[], grainAt: (time: EpochMs) => number): readonly StartedCount[] {
  const result: StartedCount[] = [];
  for (const [at, count] of started) {
    const last = result.at(-1);
    const grain = grainAt(at);
    if (last !== undefined && Math.floor(last[0] / grain) === Math.floor(at / grain)) {
      result[result.length - 1] = [at, last[1] + count];
    } else result.push([at, count]);
  }
  return result;
}

/** Stored state as it applies now. A changed rate limit plans all turns again. Future times, from before a clock was set back, become `now`. */
export function presentState(kept: RateState | null, rule: RateRule, now: EpochMs): RateState {
  const state = kept ?? UNUSED;
  const text = [rule.limit, rule.per, rule.burst].join(' ');
  const ahead = now + CLOCKS_DIFFER_MS;
  const latest = ahead * MICROS + rule.burst * spacingOf(rule);
  const isAhead = state.started.some(([at]) => at > ahead) || state.window[1] > ahead;
  const isChanged = state.rule !== text;
  if (!isAhead && !isChanged && state.spread <= latest) return state;
  const started = isAhead ? state.started.map(([at, count]) => [Math.min(at, now), count] as const) : state.started;
  const spread = Math.min(state.spread, isChanged ? spreadAfter(started, rule) : latest - CLOCKS_DIFFER_MS * MICROS);
  const window = [state.window[0], Math.min(state.window[1], now)] as const;
  return { started, spread, planned: isChanged ? spread : Math.max(state.planned, spread), rule: text, window };
}

function spreadAfter(started: readonly StartedCount[], rule: RateRule): number {
  return (started.at(-1)?.[0] ?? 0) * MICROS + spacingOf(rule);
}

/** Returns the next turn of a limit key under the rate limit that was used last. Returns `now` if no rate limit is known. */
export function firstTurn(state: RateState | null, now: EpochMs): EpochMs {
  const [limit = 0, per = 0, burst = 1] = (state?.rule ?? '').split(' ').map(Number);
  return state === null || limit === 0 ? now : (turnsOf(state, { limit, per, burst }, now, 1).turns[0] as EpochMs);
}

/** Returns the time from which the state of a limit key has no more effect and may be deleted. */
export function idleFrom({ started, spread, planned, window }: RateState): EpochMs {
  return Math.max((started.at(-1)?.[0] ?? 0) + window[0], Math.ceil(Math.max(spread, planned) / MICROS));
}

/** Returns the time up to which states without effect may be deleted: one minute before `now`, to allow for clock differences. */
export function idleBefore(now: EpochMs): EpochMs {
  return now - 60_000;
}

export function writeRateState({ started, spread, planned, rule, window }: RateState): string {
  return JSON.stringify([started.flat(), spread, planned, rule, window]);
}

/** Parses a stored state. Returns null if it is unreadable. */
export function readRateState(text: string): RateState | null {
  try {
    const [flat, spread, planned, rule, window] = JSON.parse(text) as [
      number[],
      number,
      number,
      string,
      [number, number],
    ];
    if (![...flat, spread, planned, window[0], window[1]].every(Number.isFinite) || typeof rule !== 'string')
      return null;
    const started = flat.flatMap((at, index) => (index % 2 === 0 ? [[at, flat[index + 1] ?? 1] as const] : []));
    return { started, spread, planned, rule, window };
  } catch {
    return null; // not written by a scheduler
  }
}
