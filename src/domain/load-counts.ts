import type { EpochMs } from '../base/clock';
import { readJson } from '../base/read-json';
import type { TriggerFiring } from './firing';
import {
  decodeRefused,
  encodeRefused,
  type HoldBack,
  type LoadStep,
  type NodeLoad,
  type RefusedJobType,
  STEP_MS,
  STEPS,
} from './node-load';

/** Growth factor of the lateness buckets. Quantiles are accurate to 10 %. */
const GROWTH = 1.1;
const CLASSES = 200;
const CLASSES_PER_LOG = 1 / Math.log(GROWTH);

/** Indices of two 64-bit times at the start of the shared memory. Each time occupies two 32-bit slots. */
const HOLD_BACK_SINCE = 0;
const HOLD_BACK_UNTIL = 1;
/** Slots of current values, then offsets within a step's slots: the step number at 0, its counts, and its lateness buckets. */
const RUNNING = 4;
const WORKERS = 5;
const FIRST_STEP = 6;
const STARTED = 1;
const ENDED = 2;
const FAILED = 3;
const FIRST_CLASS = 4;
const STEP_LENGTH = FIRST_CLASS + CLASSES;
const COUNTS = FIRST_STEP + STEPS * STEP_LENGTH;
/** Slot of the length of the text that follows the counts, and the maximum length of that text in bytes. */
const TEXT_LENGTH = COUNTS;
const MAX_TEXT = 1_024;
const TEXT_BEGIN = (COUNTS + 1) * Uint32Array.BYTES_PER_ELEMENT;
const BYTES = TEXT_BEGIN + MAX_TEXT;

type Timed = Pick<TriggerFiring, 'scheduledFireTime' | 'recovering'>;

/** Counts work per half minute for the last 15 minutes, in memory that the check-in thread reads directly. A concurrent read may miss a count. */
export class LoadCounts {
  /** Shared memory of the counts. Another thread passes this memory to the constructor to read the counts. */
  readonly memory: SharedArrayBuffer;
  readonly #places: Uint32Array;
  readonly #times: BigInt64Array;
  /** The step that was last used: the index of its first slot, its start, and the start of the next step. */
  #step = 0;
  #begin = Number.POSITIVE_INFINITY;
  #end = 0;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#places = new Uint32Array(memory, 0, COUNTS + 1);
    this.#times = new BigInt64Array(memory, 0, 2);
  }

  set running(count: number) {
    this.#places[RUNNING] = count;
  }

  set workers(count: number) {
    this.#places[WORKERS] = count;
  }

  /** Period in which this node leaves due triggers to other nodes; null: none. */
  set holdBack(holdBack: HoldBack | null) {
    const { since, until } = holdBack ?? { since: 0, until: 0 };
    Atomics.store(this.#times, HOLD_BACK_SINCE, BigInt(since));
    Atomics.store(this.#times, HOLD_BACK_UNTIL, BigInt(until));
  }

  /** Job types that this node does not acquire. Types that do not fit into the memory are left out. */
  set refusedTypes(types: readonly RefusedJobType[]) {
    const fitting = [...types];
    let text = new TextEncoder().encode(JSON.stringify(encodeRefused(fitting)));
    while (text.length > MAX_TEXT) {
      fitting.pop();
      text = new TextEncoder().encode(JSON.stringify(encodeRefused(fitting)));
    }
    new Uint8Array(this.memory, TEXT_BEGIN, MAX_TEXT).set(text);
    Atomics.store(this.#places, TEXT_LENGTH, text.length);
  }

  /** Returns the refused types. A text that another thread is writing is not valid JSON, or is read at the next check-in. */
  get refusedTypes(): readonly RefusedJobType[] {
    const length = Atomics.load(this.#places, TEXT_LENGTH);
    const text = new Uint8Array(this.memory, TEXT_BEGIN, length).slice();
    return length === 0 ? [] : decodeRefused(readJson(new TextDecoder().decode(text)));
  }

  /** Counts a started job and its lateness. Ignores the lateness of recoveries, because their scheduled time passed before the original node died. */
  started(at: EpochMs, { scheduledFireTime, recovering }: Timed): void {
    const step = this.#stepAt(at);
    this.#add(step + STARTED);
    if (!recovering) this.#add(step + FIRST_CLASS + classOf(at - scheduledFireTime));
  }

  ended(at: EpochMs, isFailed: boolean): void {
    const step = this.#stepAt(at);
    this.#add(step + ENDED);
    if (isFailed) this.#add(step + FAILED);
  }

  /** Returns the counts of all steps with work, oldest first. Steps may be older than 15 minutes, so the caller must check their time. */
  read(): NodeLoad {
    const steps: LoadStep[] = [];
    for (let at = FIRST_STEP; at < COUNTS; at += STEP_LENGTH) {
      const [number = 0, started = 0, ended = 0, failed = 0] = this.#places.subarray(at, at + FIRST_CLASS);
      if (started + ended === 0) continue;
      const late = this.#places.slice(at + FIRST_CLASS, at + STEP_LENGTH);
      steps.push({
        begin: number * STEP_MS,
        started,
        ended,
        failed,
        p50: quantile(late, 0.5),
        p99: quantile(late, 0.99),
      });
    }
    const { [RUNNING]: running = 0, [WORKERS]: workers = 0 } = this.#places;
    const until = Number(Atomics.load(this.#times, HOLD_BACK_UNTIL));
    const since = Number(Atomics.load(this.#times, HOLD_BACK_SINCE));
    const holdBack = until === 0 ? null : { since, until };
    const { refusedTypes } = this;
    return { running, workers, steps: steps.sort((a, b) => a.begin - b.begin), holdBack, refusedTypes };
  }

  #add(place: number): void {
    this.#places[place] = (this.#places[place] as number) + 1;
  }

  /** Clears the counts of the step 15 minutes earlier if the step is new, because both use the same slots. */
  #stepAt(at: EpochMs): number {
    if (at >= this.#begin && at < this.#end) return this.#step;
    const number = Math.floor(at / STEP_MS);
    const place = FIRST_STEP + (number % STEPS) * STEP_LENGTH;
    if (this.#places[place] !== number) {
      this.#places.fill(0, place, place + STEP_LENGTH);
      this.#places[place] = number;
    }
    this.#step = place;
    this.#begin = number * STEP_MS;
    this.#end = this.#begin + STEP_MS;
    return place;
  }
}

/** Buckets of lateness values up to 1,023 ms, computed in advance. Computing a logarithm for each firing would double the cost of counting. */
const FREQUENT = Uint8Array.from({ length: 1_024 }, (_, lateMs) => computeClass(lateMs));

function classOf(lateMs: number): number {
  return FREQUENT[Math.max(0, Math.ceil(lateMs))] ?? computeClass(lateMs);
}

function computeClass(lateMs: number): number {
  return lateMs <= 1 ? 0 : Math.min(CLASSES - 1, Math.ceil(Math.log(lateMs) * CLASSES_PER_LOG));
}

/** Returns the quantile `part` (0 to 1) of the lateness, in milliseconds; null if no firing was counted. */
function quantile(late: Uint32Array, part: number): number | null {
  const total = late.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * part);
  const place = late.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return place <= 0 ? 0 : Math.round(GROWTH ** place);
}
