-- What schedules were declared, and which job types each node can run.
-- Every step can run again on tables that have it already.

-- name: addJobTypes
-- unless column: JOB_TYPES on QRTZ_X_NODES
-- JOB_TYPES: what it can run, a list in JSON; null where that is not known.
ALTER TABLE QRTZ_X_NODES ADD COLUMN JOB_TYPES TEXT;

-- name: createDeclared
-- Triggers that were declared, by code or a file that says the same at every start: an end that DEFINITION tells of is not begun again.
-- DEFINITION: the schedule of one that ends; null for one that does not. DECLARED_SET: the set that it belongs to, null for none.
CREATE TABLE IF NOT EXISTS QRTZ_X_DECLARED (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  DECLARED_SET TEXT,
  DEFINITION TEXT,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexDeclaredJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_D_J ON QRTZ_X_DECLARED (SCHED_NAME, JOB_NAME, JOB_GROUP);
