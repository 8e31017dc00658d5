-- Chains: which triggers wait for the end of which jobs.
-- Every step can run again on tables that have it already.

-- name: createParents
-- The jobs that triggers of the type AFTER wait for, numbered by trigger: by which a job finds what waits for it (X_P_J). What the
-- triggers say of them is in QRTZ_SIMPROP_TRIGGERS.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARENTS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  PARENT_NUMBER INTEGER NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER)
) STRICT, WITHOUT ROWID;

-- name: indexParentsJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_P_J ON QRTZ_X_PARENTS (SCHED_NAME, JOB_NAME, JOB_GROUP);
