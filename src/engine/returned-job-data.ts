import { isDeepStrictEqual } from 'node:util';
import { checkJobData } from '../domain/check-job-data';
import type { JobData } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey } from '../domain/keys';

/**
 * What to store of a job's return value: a frozen copy, or null when the job does not persist its data, returned
 * nothing, or returned what is stored already. Throws INVALID_JOB_DATA.
 */
export function returnedJobData(jobDetail: JobDetail, returned: unknown): JobData | null {
  if (!jobDetail.persistJobDataAfterExecution || returned === undefined || returned === null) return null;
  const data = checkJobData(returned, `job '${formatKey(jobDetail.key)}'`);
  return isDeepStrictEqual(data, jobDetail.data) ? null : data;
}
