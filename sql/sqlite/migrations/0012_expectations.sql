-- What must succeed within a time: triggers and jobs that say so.
-- Every step can run again on tables that have it already.

-- name: createExpectations
-- One row for each. OWNER: trigger or job, whose key is OWNER_NAME and OWNER_GROUP; JOB_NAME and JOB_GROUP: the job, of a trigger its job.
-- SINCE_TIME: from when WITHIN_MS milliseconds count. DUE_TIME: when it is overdue. TOLD: whether that lapse was told of.
CREATE TABLE IF NOT EXISTS QRTZ_X_EXPECTATIONS (
  SCHED_NAME TEXT NOT NULL,
  OWNER_NAME TEXT NOT NULL,
  OWNER_GROUP TEXT NOT NULL,
  OWNER TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  WITHIN_MS INTEGER NOT NULL,
  SINCE_TIME INTEGER NOT NULL,
  DUE_TIME INTEGER NOT NULL,
  LAST_SUCCESS INTEGER,
  TOLD TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER)
) STRICT, WITHOUT ROWID;

-- name: indexExpectationsD
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_E_D ON QRTZ_X_EXPECTATIONS (SCHED_NAME, TOLD, DUE_TIME);
