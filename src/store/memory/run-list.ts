import type { EpochMs } from '../../base/clock';
import { partition } from '../../base/lists';
import { enqueuedTypeOf, isOfJob } from '../../domain/enqueued-name';
import { keyContains, matchesGroup, sameKey } from '../../domain/keys';
import {
  BRIEF_LENGTH,
  briefDetail,
  type RunCursor,
  type RunPage,
  type RunQuery,
  type RunRecord,
  type RunRetention,
} from '../../domain/run';
import { resolvedRun } from '../../domain/run-detail';

/** Maximum number of stored runs, regardless of the retention. */
export const MAX_RUNS = 100_000;

/** Number of runs removed together, so that a full list is not searched for every new run. */
const RUNS_PER_REMOVAL = 1_000;

/** Bytes of a run besides its texts: objects, numbers and keys. */
const RECORD_BYTES = 500;
const BYTES_PER_CHARACTER = 2;

/** Share of the limit that remains after a removal, so that runs are removed many at a time. */
const KEPT_SHARE = 0.9;

/** Limit on the memory that recorded runs use, dead letters included. */
export interface RunBound {
  /** Approximate size in bytes. Default: no limit except `MAX_RUNS`. */
  readonly maxBytes?: number;
  /** Called once, when runs are dropped for the first time. */
  readonly onFull?: (kept: { readonly runs: number; readonly bytes: number }) => void;
}

/** Ended runs, sorted by end time. Most runs are appended, and lists are read from the newest run. */
export class RunList {
  #runs: RunRecord[] = []; // oldest first
  readonly #byId = new Map<string, RunRecord>();
  readonly #maxBytes: number;
  #onFull: RunBound['onFull'] | null;
  #bytes = 0;

  constructor({ maxBytes = Number.POSITIVE_INFINITY, onFull }: RunBound = {}) {
    this.#maxBytes = maxBytes;
    this.#onFull = onFull ?? null;
  }

  /** Adds a run. A run that is already recorded is not changed. */
  add(run: RunRecord): void {
    const runs = this.#runs;
    const last = runs[runs.length - 1];
    if (last === undefined || compareRuns(last, run) < 0) runs.push(run);
    else {
      const index = this.#indexOf(run);
      if (compareRuns(runs[index] as RunRecord, run) === 0) return;
      runs.splice(index, 0, run);
    }
    this.#byId.set(run.runId, run);
    this.#bytes += sizeOf(run);
    if (runs.length > MAX_RUNS || this.#bytes > this.#maxBytes) this.#makeRoom();
  }

  at(cursor: RunCursor): RunRecord | null {
    const run = this.#runs[this.#indexOf(cursor)];
    return run !== undefined && compareRuns(run, cursor) === 0 ? run : null;
  }

  /** Clears the dead-letter or rerunnable mark of a run. */
  resolve(run: RunRecord): void {
    const index = this.#indexOf(run);
    const stored = this.#runs[index] as RunRecord;
    const resolved = resolvedRun(stored);
    this.#bytes += sizeOf(resolved) - sizeOf(stored);
    this.#runs[index] = resolved;
    this.#byId.set(resolved.runId, resolved);
  }

  /** Skips the `newer` most recent runs and returns the end time of the next one; null if at most `newer` runs are recorded. */
  endOf(newer: number): EpochMs | null {
    return this.#runs[this.#runs.length - 1 - newer]?.endTime ?? null;
  }

  query(query: RunQuery): RunPage {
    const items: RunRecord[] = [];
    const { since = Number.NEGATIVE_INFINITY, take } = query;
    const matches = filterOf(query);
    for (const run of this.#newestFirst(query)) {
      if (run.endTime < since) break;
      if (!matches(run)) continue;
      const last = items[take - 1];
      if (last !== undefined) return { items, next: { endTime: last.endTime, runId: last.runId } };
      items.push(query.detail === undefined ? run : withoutDetail(run, query.detail));
    }
    return { items, next: null };
  }

  prune({ before, outcomes, deadLetters = false, maxCount }: RunRetention): number {
    const end = partition(this.#runs, ({ endTime }) => endTime < before);
    const isOver = ({ isDeadLetter, outcome }: RunRecord) =>
      isDeadLetter === deadLetters && (outcomes === undefined || outcomes.includes(outcome));
    return this.#deleteOldest(maxCount, isOver, end);
  }

  /** Removes the oldest runs. Removes dead letters only if there are not enough other runs, because dead letters may still be rerun. */
  #makeRoom(): void {
    this.#onFull?.({ runs: this.#runs.length, bytes: this.#bytes });
    this.#onFull = null;
    const count = this.#runs.length > MAX_RUNS ? MAX_RUNS - RUNS_PER_REMOVAL + 1 : Number.POSITIVE_INFINITY;
    const isTooMuch = () => this.#runs.length - removed > count || this.#bytes > KEPT_SHARE * this.#maxBytes;
    let removed = 0;
    for (const mayRemove of [({ isDeadLetter }: RunRecord) => !isDeadLetter, () => true]) {
      removed = 0;
      this.#deleteOldest(Number.POSITIVE_INFINITY, (run) => {
        const isRemoved = isTooMuch() && mayRemove(run);
        if (isRemoved) removed++;
        return isRemoved;
      });
    }
  }

  #deleteOldest(maxCount: number, isOver: (run: RunRecord) => boolean, end = this.#runs.length): number {
    const runs = this.#runs;
    const kept: RunRecord[] = [];
    let index = 0;
    for (; index < end && index - kept.length < maxCount; index++) {
      const run = runs[index] as RunRecord;
      if (isOver(run)) this.#forget(run);
      else kept.push(run);
    }
    const deleted = index - kept.length;
    if (deleted > 0) this.#runs = kept.concat(runs.slice(index));
    return deleted;
  }

  #forget(run: RunRecord): void {
    this.#byId.delete(run.runId);
    this.#bytes -= sizeOf(run);
  }

  *#newestFirst({ runIds, until, after }: RunQuery): Iterable<RunRecord> {
    const isWanted = (run: RunCursor) =>
      (until === undefined || run.endTime < until) && (after === undefined || compareRuns(run, after) < 0);
    if (runIds === undefined) {
      for (let index = partition(this.#runs, isWanted) - 1; index >= 0; index--) yield this.#runs[index] as RunRecord;
      return;
    }
    const found = [...new Set(runIds)].flatMap((runId) => this.#byId.get(runId) ?? []);
    yield* found.filter(isWanted).sort((a, b) => compareRuns(b, a));
  }

  #indexOf(cursor: RunCursor): number {
    return partition(this.#runs, (run) => compareRuns(run, cursor) < 0);
  }
}

function sizeOf({ detail, error }: RunRecord): number {
  return RECORD_BYTES + BYTES_PER_CHARACTER * ((detail?.length ?? 0) + (error?.length ?? 0));
}

/** Shortens or removes the detail. A list shows little of the detail, and parsing a thousand full details is slow. */
function withoutDetail(run: RunRecord, kept: 'brief' | 'none'): RunRecord {
  const beginning = run.detail?.slice(0, BRIEF_LENGTH) ?? null;
  return { ...run, detail: kept === 'none' ? null : briefDetail(beginning) };
}

function compareRuns(a: RunCursor, b: RunCursor): number {
  if (a.endTime !== b.endTime) return a.endTime - b.endTime;
  if (a.runId === b.runId) return 0;
  return a.runId < b.runId ? -1 : 1;
}

function filterOf(query: RunQuery): (run: RunRecord) => boolean {
  const { jobKey, jobGroup, jobType, triggerKey, occurrenceId, outcomes, instanceId, search = '', deadLetters } = query;
  const enqueuedType = enqueuedTypeOf(query);
  const isInError = (error: string | null) => error?.toLowerCase().includes(search.toLowerCase()) ?? false;
  return (run) =>
    (jobKey === undefined || isOfJob(run, jobKey, enqueuedType)) &&
    (jobType === undefined || jobType === run.jobType) &&
    (jobGroup === undefined || matchesGroup(jobGroup, run.jobKey.group)) &&
    (triggerKey === undefined || sameKey(triggerKey, run.triggerKey)) &&
    (occurrenceId === undefined || occurrenceId === run.occurrenceId) &&
    (outcomes?.includes(run.outcome) ?? true) &&
    (instanceId === undefined || instanceId === run.instanceId) &&
    (deadLetters !== true || run.isDeadLetter) &&
    (search === '' || keyContains(run.jobKey, search) || keyContains(run.triggerKey, search) || isInError(run.error));
}
