import type { MessagePort } from 'node:worker_threads';
import type { JobLog, JobReport } from '../api/scheduler';
import type { TransferredError } from '../api/transferred-error';
import type { WorkerJobContext } from '../api/worker-job';
import type { JsonValue } from '../domain/job-data';

/** The name of the function that a thread calls for each run. */
export const ENTRY_FUNCTION = 'runInThread';

/** One run of a job of a file, on its way to a thread. */
export interface ThreadTask {
  /** The URL of the job's file. */
  readonly url: string;
  /** For messages. */
  readonly jobName: string;
  /** What the job returns is stored as its data. */
  readonly persistsData: boolean;
  /** The part of the context that is plain data. */
  readonly facts: Omit<WorkerJobContext, 'signal' | 'log' | 'report' | 'progress' | 'checkpoint'>;
  /** For what is said during the run, in both directions. */
  readonly port: MessagePort;
}

/** How the function of the file ended. */
export type ThreadAnswer =
  | { readonly isOk: true; readonly value: unknown }
  | { readonly isOk: false; readonly error: TransferredError };

/** What the job says while it runs. */
export type FromThread =
  | { readonly type: 'log'; readonly level: keyof JobLog; readonly message: string; readonly data: JsonValue }
  | { readonly type: 'report'; readonly report: JobReport }
  | { readonly type: 'progress'; readonly fraction: number; readonly message: string | undefined }
  | { readonly type: 'checkpoint'; readonly id: number; readonly value: JsonValue };

/** What the job is told while it runs; `saved` answers a checkpoint. */
export type ToThread =
  | { readonly type: 'abort'; readonly reason: TransferredError }
  | { readonly type: 'saved'; readonly id: number; readonly error: TransferredError | null };
