/** The group of the triggers that run a job again because the node that ran it died. */
export const RECOVERING_JOBS = 'RECOVERING_JOBS';

/** A group that Quartz keeps for jobs taken over from another node; nothing is stored in it here either. */
export const FAILED_OVER_JOBS = 'FAILED_OVER_JOBS';

/** Where the data of a recovery trigger names the trigger it stands for. Quartz's keys. */
export const FAILED_JOB_ORIGINAL_TRIGGER_NAME = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME';
export const FAILED_JOB_ORIGINAL_TRIGGER_GROUP = 'QRTZ_FAILED_JOB_ORIG_TRIGGER_GROUP';

/** Where it keeps when that trigger fired, and when it should have: epoch milliseconds as text. */
export const FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_FIRETIME_IN_MILLISECONDS_AS_STRING';
export const FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS =
  'QRTZ_FAILED_JOB_ORIG_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS_AS_STRING';
