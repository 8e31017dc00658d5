/** How long what was measured is kept, and in which steps. Milliseconds. */
export const STEP_MS = 30_000;
export const STEPS = 30;

/** Lateness is counted in classes that grow by a tenth: what is read out of them is that far off at most. */
const GROWTH = 1.1;
const CLASSES = 200;

interface Step {
  readonly begin: number;
  started: number;
  ended: number;
  failed: number;
  /** How many were as late as each class says. */
  readonly late: Uint32Array;
}

/** What one node did in half a minute. */
export interface StepView {
  /** When it began, in epoch milliseconds. */
  readonly begin: number;
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  /** Of the jobs that began: how late, in milliseconds; null: none began. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** What one node did in the last 15 minutes, by half minute. Takes the same memory whatever it counts. */
export class RecentFirings {
  readonly #steps: Step[] = [];

  started(at: number, lateMs: number | null): void {
    const step = this.#stepAt(at);
    step.started++;
    const place = lateMs === null ? null : classOf(lateMs);
    if (place !== null) step.late[place] = (step.late[place] ?? 0) + 1;
  }

  ended(at: number, isFailed: boolean): void {
    const step = this.#stepAt(at);
    step.ended++;
    if (isFailed) step.failed++;
  }

  /** Oldest first, one for each half minute, also for those in which nothing happened. */
  read(now: number): readonly StepView[] {
    const last = beginOf(now);
    const known = new Map(this.#steps.map((step) => [step.begin, step]));
    return Array.from({ length: STEPS }, (_, at) => {
      const begin = last - (STEPS - 1 - at) * STEP_MS;
      const { started = 0, ended = 0, failed = 0, late = null } = known.get(begin) ?? {};
      return { begin, started, ended, failed, p50: quantile(late, 0.5), p99: quantile(late, 0.99) };
    });
  }

  #stepAt(at: number): Step {
    const begin = beginOf(at);
    const known = this.#steps.findLast((step) => step.begin === begin);
    if (known !== undefined) return known;
    const step = { begin, started: 0, ended: 0, failed: 0, late: new Uint32Array(CLASSES) };
    this.#steps.push(step);
    if (this.#steps.length > STEPS) this.#steps.shift();
    return step;
  }
}

function beginOf(at: number): number {
  return Math.floor(at / STEP_MS) * STEP_MS;
}

function classOf(lateMs: number): number {
  if (lateMs <= 1) return 0;
  return Math.min(CLASSES - 1, Math.ceil(Math.log(lateMs) / Math.log(GROWTH)));
}

function quantile(late: Uint32Array | null, part: number): number | null {
  const total = late?.reduce((sum, count) => sum + count, 0) ?? 0;
  if (late === null || total === 0) return null;
  let left = Math.ceil(total * part);
  const place = late.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return place <= 0 ? 0 : Math.round(GROWTH ** place);
}
