export interface StopReason {
  readonly name: 'AbortError' | 'TimeoutError';
  readonly message: string;
}

const aborted = (message: string): StopReason => ({ name: 'AbortError', message });

export const INTERRUPTED_JOB = aborted('The job was interrupted by scheduler.interrupt.');
export const INTERRUPTED_RUN = aborted(
  'The run was interrupted, by interruptRun or because a later run replaces it (cancelRunning).',
);
export const LEASE_LOST = aborted('The node lost its lease. Another node may recover the run.');
export const SHUTTING_DOWN = aborted('The scheduler is shutting down and no longer waits for the job.');

/** Returns the reason for a job that exceeded its limit. `limit` completes the sentence "The job did not end …". */
export function timedOut(limit: string): StopReason {
  return { name: 'TimeoutError', message: `The job did not end ${limit}.` };
}

/** Converts a reason to the error of an aborted signal. Has no stack, because it would only contain engine frames. */
export function toStopError({ name, message }: StopReason): Error {
  const error = new Error(message);
  error.name = name;
  error.stack = `${name}: ${message}`;
  return error;
}
