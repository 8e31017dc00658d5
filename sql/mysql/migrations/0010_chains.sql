-- Chains: which triggers wait for the end of which jobs.
-- Every step can run again on tables that have it already.

-- name: createParents
-- The jobs that triggers of the type AFTER wait for, numbered by trigger: by which a job finds what waits for it (X_P_J). What the
-- triggers say of them is in QRTZ_SIMPROP_TRIGGERS.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARENTS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  PARENT_NUMBER INTEGER NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER),
  KEY IDX_QRTZ_X_P_J (SCHED_NAME, JOB_NAME, JOB_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
