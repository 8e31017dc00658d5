import type { EpochMs } from '../base/clock';
import type { TriggerFiring } from './firing';
import { type HoldBack, type LoadStep, type NodeLoad, STEP_MS, STEPS } from './node-load';

/** Growth factor of the lateness classes, so that results are accurate to 10 %. */
const GROWTH = 1.1;
const CLASSES = 200;
const CLASSES_PER_LOG = 1 / Math.log(GROWTH);

/** Slots of two 64-bit times. Each takes two 32-bit slots. */
const HOLD_BACK_SINCE = 0;
const HOLD_BACK_UNTIL = 1;
/** Slots of the current values, then of a step: its number, its counts, and its classes. */
const RUNNING = 4;
const WORKERS = 5;
const FIRST_STEP = 6;
const STARTED = 1;
const ENDED = 2;
const FAILED = 3;
const FIRST_CLASS = 4;
const STEP_LENGTH = FIRST_CLASS + CLASSES;
const BYTES = (FIRST_STEP + STEPS * STEP_LENGTH) * Uint32Array.BYTES_PER_ELEMENT;

/** Fields of a firing that are counted. */
type Timed = Pick<TriggerFiring, 'scheduledFireTime' | 'recovering'>;

/**
 * Counts a node's work by half minute, for 15 minutes: a few additions in place, whether or not the counts are read. The memory is shared, so that
 * the check-in thread reads the counts without a request to the job thread. A concurrent read may miss a count.
 */
export class LoadCounts {
  /** Shared memory. Pass it to the constructor in another thread. */
  readonly memory: SharedArrayBuffer;
  readonly #places: Uint32Array;
  readonly #times: BigInt64Array;
  /** Step of the last count: its slot, its beginning, and the beginning of the next step. */
  #step = 0;
  #begin = Number.POSITIVE_INFINITY;
  #end = 0;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#places = new Uint32Array(memory);
    this.#times = new BigInt64Array(memory, 0, 2);
  }

  /** Number of running jobs. */
  set running(count: number) {
    this.#places[RUNNING] = count;
  }

  /** Number of jobs that can run at the same time. */
  set workers(count: number) {
    this.#places[WORKERS] = count;
  }

  /** Time for which this node leaves triggers to the other nodes; null: it takes all of them. */
  set holdBack(holdBack: HoldBack | null) {
    const { since, until } = holdBack ?? { since: 0, until: 0 };
    Atomics.store(this.#times, HOLD_BACK_SINCE, BigInt(since));
    Atomics.store(this.#times, HOLD_BACK_UNTIL, BigInt(until));
  }

  /** Counts a started job. Recoveries have no lateness, because they have no start time of their own. */
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

  /** Returns only the steps with work, oldest first. Steps may be older than 15 minutes; the reader knows the time. */
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

  /** Returns the slot of a step, which overwrites the step of 15 minutes earlier. */
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

/** Precomputed classes of nearly all lateness values. A logarithm for each would cost as much as everything else. */
const FREQUENT = Uint8Array.from({ length: 1_024 }, (_, lateMs) => computeClass(lateMs));

function classOf(lateMs: number): number {
  return FREQUENT[Math.max(0, Math.ceil(lateMs))] ?? computeClass(lateMs);
}

function computeClass(lateMs: number): number {
  return lateMs <= 1 ? 0 : Math.min(CLASSES - 1, Math.ceil(Math.log(lateMs) * CLASSES_PER_LOG));
}

/** Returns the quantile; null if nothing was counted. */
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
