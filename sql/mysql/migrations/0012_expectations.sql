-- What must succeed within a time: triggers and jobs that say so.
-- Every step can run again on tables that have it already.

-- name: createExpectations
-- One row for each. OWNER: trigger or job, whose key is OWNER_NAME and OWNER_GROUP; JOB_NAME and JOB_GROUP: the job, of a trigger its job.
-- SINCE_TIME: from when WITHIN_MS milliseconds count. DUE_TIME: when it is overdue. TOLD: whether that lapse was told of.
CREATE TABLE IF NOT EXISTS QRTZ_X_EXPECTATIONS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  OWNER_NAME VARCHAR(190) NOT NULL,
  OWNER_GROUP VARCHAR(190) NOT NULL,
  OWNER VARCHAR(8) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  WITHIN_MS BIGINT NOT NULL,
  SINCE_TIME BIGINT NOT NULL,
  DUE_TIME BIGINT NOT NULL,
  LAST_SUCCESS BIGINT NULL,
  TOLD VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER),
  KEY IDX_QRTZ_X_E_D (SCHED_NAME, TOLD, DUE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
