import type { RandomSource } from '../base/ids';
import { DEFAULT_GROUP, type JobKey, sameKey } from './keys';
import type { RunQuery, RunRecord } from './run';

// Names of the jobs that `enqueue` stores without a name from its caller. The caller knows only the job type.

/** Number of random characters at the end of a name. */
export const ENQUEUED_TOKEN_LENGTH = 13;

/** Returns a unique name for a job of this type. */
export function enqueuedName(jobType: string, random: RandomSource): string {
  return `${enqueuedPrefix(jobType)}${random.token(ENQUEUED_TOKEN_LENGTH)}`;
}

/** Returns the beginning of the names of enqueued jobs of a type. */
export function enqueuedPrefix(jobType: string): string {
  return `${jobType.slice(0, 150)}-`;
}

/**
 * Returns the job type whose enqueued jobs a list also contains; null if it contains only runs of the job key. A list of dead letters contains them, so
 * that `rerun({ job: 'pay' })` finds what `enqueue('pay')` has stored.
 */
export function enqueuedTypeOf({ jobKey, deadLetters }: Pick<RunQuery, 'jobKey' | 'deadLetters'>): string | null {
  return deadLetters === true && jobKey?.group === DEFAULT_GROUP ? jobKey.name : null;
}

/** True if a run belongs to the job, or to an enqueued job of the type `enqueuedType`. */
export function isOfJob(run: RunRecord, jobKey: JobKey, enqueuedType: string | null): boolean {
  if (sameKey(jobKey, run.jobKey)) return true;
  const { group, name } = run.jobKey;
  if (enqueuedType === null || run.jobType !== enqueuedType || group !== DEFAULT_GROUP) return false;
  const prefix = enqueuedPrefix(enqueuedType);
  return name.startsWith(prefix) && name.length === prefix.length + ENQUEUED_TOKEN_LENGTH;
}
