/** Milliseconds of one bucket of `result().b`, by which nodes that worked side by side are added up. */
export const BUCKET = 10;

/** Notes when each job started and how late that was, at next to no cost for the job. */
export class Recorder {
  #startedAt = new Float64Array(1 << 16);
  #lateness = new Float64Array(1 << 16);
  #count = 0;

  get count() {
    return this.#count;
  }

  /** The job: nothing but its own note. */
  job = async (context) => {
    const now = Date.now();
    if (this.#count === this.#startedAt.length) this.#grow();
    this.#startedAt[this.#count] = now;
    this.#lateness[this.#count++] = now - context.scheduledFireTime.getTime();
  };

  /**
   * What a node answers after `R `; lateness only of jobs that started at `since` or later: `l` counts it by whole milliseconds, so that
   * nodes can be added up.
   */
  result(since = 0) {
    const startedAt = this.#startedAt.subarray(0, this.#count);
    const late = this.#lateness.subarray(0, this.#count).filter((_, i) => startedAt[i] >= since);
    const b = {};
    for (const at of startedAt) b[Math.floor(at / BUCKET)] = (b[Math.floor(at / BUCKET)] ?? 0) + 1;
    const first = startedAt.reduce((a, x) => Math.min(a, x), this.#count === 0 ? 0 : Infinity);
    const last = startedAt.reduce((a, x) => Math.max(a, x), 0);
    const l = {};
    for (const millis of late) l[millis] = (l[millis] ?? 0) + 1;
    return { count: this.#count, first, last, l, b };
  }

  #grow() {
    const doubled = (numbers) => {
      const more = new Float64Array(numbers.length * 2);
      more.set(numbers);
      return more;
    };
    this.#startedAt = doubled(this.#startedAt);
    this.#lateness = doubled(this.#lateness);
  }
}
