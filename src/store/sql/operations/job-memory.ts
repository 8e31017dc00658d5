import { type JobKey, keyText } from '../../../domain/keys';
import { type JobRow, toHex, toJobFlags } from '../rows/rows';

/** A stored job as it was last read. */
export interface KnownJob {
  readonly row: JobRow;
  /** True if triggers waited for the job. */
  readonly isFollowed: boolean;
}

/** Maximum number of remembered jobs. */
const MAX_JOBS = 1_000;

/** Maximum size of the data of a remembered job, in bytes. The data is sent with each trigger, to be compared with the stored data. */
const MAX_DATA_BYTES = 4_096;

/**
 * Jobs as this node has last read them, so that a new trigger of the same job is stored without reading the job again. The transaction must compare
 * each job with its stored row (`storedForm`). Contains only concurrent jobs: for others, it matters whether they execute.
 */
export class JobMemory {
  readonly #jobs = new Map<string, KnownJob>();

  get(key: JobKey): KnownJob | undefined {
    return this.#jobs.get(keyText(key));
  }

  remember(text: string, row: JobRow, isFollowed: boolean): void {
    this.#jobs.delete(text);
    const isLarge = (row.DETAIL_DATA?.length ?? 0) > MAX_DATA_BYTES;
    if (isLarge || toJobFlags(row).disallowConcurrentExecution) return;
    this.#jobs.set(text, { row, isFollowed });
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= MAX_JOBS) return;
      this.#jobs.delete(oldest);
    }
  }
}

/** Returns a job's columns in the form that `selectAnyOtherThan` compares. */
export function storedForm({ JOB_FLAGS, JOB_CLASS_NAME, DETAIL_DESCRIPTION, DETAIL_DATA }: JobRow): string {
  const bytesOf = (column: string | null) => (column === null ? null : Buffer.from(column));
  const columns = [...[JOB_FLAGS, JOB_CLASS_NAME, DETAIL_DESCRIPTION].map(bytesOf), DETAIL_DATA];
  return columns.map((column) => toHex(column)?.toUpperCase() ?? 'NULL').join();
}
