import { type JobRow, toHex } from '../rows/rows';
import type { JobDraft } from './schedule-draft';

/** A stored job as it was last read. */
interface KnownJob {
  readonly draft: JobDraft;
  /** The stored columns, in the form that `selectAnyOtherThan` compares. */
  readonly asRead: string;
  /** True if triggers waited for the job. */
  readonly isFollowed: boolean;
}

/** Maximum number of remembered jobs. */
const MAX_JOBS = 1_000;

/** Maximum size of the data of a remembered job, in bytes. The data is sent with each trigger, to be compared with the stored data. */
const MAX_DATA_BYTES = 4_096;

/**
 * Jobs as this node has last read them, so that a new trigger of the same job is stored without reading the job again. The transaction must compare
 * each job with its stored row (`asRead`). Contains only concurrent jobs: for others, it matters whether they execute.
 */
export class JobMemory {
  readonly #jobs = new Map<string, KnownJob>();

  get(text: string): KnownJob | undefined {
    return this.#jobs.get(text);
  }

  /** True if one of the jobs, given as `keyText`, is not remembered. */
  lacks(texts: ReadonlySet<string>): boolean {
    for (const text of texts) if (!this.#jobs.has(text)) return true;
    return false;
  }

  /** `draft`: the job without changes. */
  remember(text: string, draft: JobDraft, row: JobRow, isFollowed: boolean): void {
    this.#jobs.delete(text);
    const isLarge = (row.DETAIL_DATA?.length ?? 0) > MAX_DATA_BYTES;
    if (isLarge || draft.before?.disallowConcurrentExecution) return;
    this.#jobs.set(text, { draft: { ...draft }, asRead: storedForm(row), isFollowed });
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MAX_JOBS) return;
      this.#jobs.delete(oldest);
    }
  }
}

function storedForm({ JOB_FLAGS, JOB_CLASS_NAME, DETAIL_DESCRIPTION, DETAIL_DATA }: JobRow): string {
  const bytesOf = (column: string | null) => (column === null ? null : Buffer.from(column));
  const columns = [...[JOB_FLAGS, JOB_CLASS_NAME, DETAIL_DESCRIPTION].map(bytesOf), DETAIL_DATA];
  return columns.map((column) => toHex(column)?.toUpperCase() ?? 'NULL').join();
}
