import type { EpochMs } from '../base/clock';
import type { TriggerFiring } from './firing';
import { type HoldBack, type LoadStep, type NodeLoad, STEP_MS, STEPS } from './node-load';

/** Lateness is counted in classes that grow by a tenth: what is read out of them is that far off at most. */
const GROWTH = 1.1;
const CLASSES = 200;
const CLASSES_PER_LOG = 1 / Math.log(GROWTH);

/** Two times of 64 bits, which take four places. */
const HOLD_BACK_SINCE = 0;
const HOLD_BACK_UNTIL = 1;
/** Places of what is so now, and then of a step: its number, what it counts, and its classes. */
const RUNNING = 4;
const WORKERS = 5;
const FIRST_STEP = 6;
const STARTED = 1;
const ENDED = 2;
const FAILED = 3;
const FIRST_CLASS = 4;
const STEP_LENGTH = FIRST_CLASS + CLASSES;
const BYTES = (FIRST_STEP + STEPS * STEP_LENGTH) * Uint32Array.BYTES_PER_ELEMENT;

/** What is to be known of a firing. */
type Timed = Pick<TriggerFiring, 'scheduledFireTime' | 'recovering'>;

/**
 * Counts what a node does, by half minute, for 15 minutes: a few additions in place, whether somebody looks or not. The memory is shared,
 * so that the thread that checks in reads what the jobs' thread has counted without asking it. A reading beside a count may miss it.
 */
export class LoadCounts {
  /** Give it to the constructor in another thread. */
  readonly memory: SharedArrayBuffer;
  readonly #places: Uint32Array;
  readonly #times: BigInt64Array;
  /** The step of the last count: where it is, when it begins, and when the next one does. */
  #step = 0;
  #begin = Number.POSITIVE_INFINITY;
  #end = 0;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#places = new Uint32Array(memory);
    this.#times = new BigInt64Array(memory, 0, 2);
  }

  /** How many jobs run. */
  set running(count: number) {
    this.#places[RUNNING] = count;
  }

  /** How many jobs can run at once. */
  set workers(count: number) {
    this.#places[WORKERS] = count;
  }

  /** The time for which this node leaves triggers to the others; null: it takes all again. */
  set holdBack(holdBack: HoldBack | null) {
    const { since, until } = holdBack ?? { since: 0, until: 0 };
    Atomics.store(this.#times, HOLD_BACK_SINCE, BigInt(since));
    Atomics.store(this.#times, HOLD_BACK_UNTIL, BigInt(until));
  }

  /** A job has begun. A recovery was not to begin at any time. */
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

  /** Only the steps in which something happened, oldest first. They may be older than 15 minutes: who reads them knows the time. */
  read(): NodeLoad {
    const steps: LoadStep[] = [];
    for (let at = FIRST_STEP; at < this.#places.length; at += STEP_LENGTH) {
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
    return { running, workers, steps: steps.sort((a, b) => a.begin - b.begin), holdBack };
  }

  #add(place: number): void {
    this.#places[place] = (this.#places[place] as number) + 1;
  }

  /** Where the step begins; it takes the place of the one before 15 minutes. */
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

/** The classes of nearly all lateness there is: a logarithm of each would cost as much as all the rest. */
const FREQUENT = Uint8Array.from({ length: 1_024 }, (_, lateMs) => computeClass(lateMs));

function classOf(lateMs: number): number {
  return FREQUENT[Math.max(0, Math.ceil(lateMs))] ?? computeClass(lateMs);
}

function computeClass(lateMs: number): number {
  return lateMs <= 1 ? 0 : Math.min(CLASSES - 1, Math.ceil(Math.log(lateMs) * CLASSES_PER_LOG));
}

/** Null: nothing was counted. */
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
