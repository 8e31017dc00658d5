import type { MessagePort } from 'node:worker_threads';
import type { JobLog, JobReport } from '../api/job-report';
import type { TransferredError } from '../api/transferred-error';
import type { WorkerJobContext } from '../api/worker-job';
import type { JsonValue } from '../domain/job-data';

/** A run that a thread receives as a message. The thread closes `port` when the run has ended. */
export interface ThreadTask {
  readonly url: string;
  /** Job name for error messages. */
  readonly jobName: string;
  /** True if the job's return value is stored as its job data. */
  readonly persistsData: boolean;
  /** Members of the context that can be cloned. */
  readonly facts: Omit<WorkerJobContext, 'signal' | 'log' | 'report' | 'progress' | 'checkpoint'>;
  readonly port: MessagePort;
}

/** Result of the file's function. An error is returned as data. */
export type ThreadAnswer =
  | { readonly isOk: true; readonly value: unknown }
  | { readonly isOk: false; readonly error: TransferredError };

/** Messages from the job's thread during the run, `answer` last. `leftBehind`: an error of code that an earlier run in this thread has left behind. */
export type FromThread =
  | { readonly type: 'answer'; readonly answer: ThreadAnswer }
  | { readonly type: 'leftBehind'; readonly error: TransferredError }
  | { readonly type: 'log'; readonly level: keyof JobLog; readonly message: string; readonly data: JsonValue }
  | { readonly type: 'report'; readonly report: JobReport }
  | { readonly type: 'progress'; readonly fraction: number; readonly message: string | undefined }
  | { readonly type: 'checkpoint'; readonly id: number; readonly value: JsonValue };

/** Messages to the job's thread during the run. `saved` answers the checkpoint with the same `id`. */
export type ToThread =
  | { readonly type: 'abort'; readonly reason: TransferredError }
  | { readonly type: 'saved'; readonly id: number; readonly error: TransferredError | null };
