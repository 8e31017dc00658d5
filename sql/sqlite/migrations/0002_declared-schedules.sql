-- What schedules were declared, and which job types each node can run.
-- Every step can run again on tables that have it already.

-- name: addJobTypes
-- unless column: JOB_TYPES on QRTZ_X_NODES
-- JOB_TYPES: what it can run, a list in JSON; null where that is not known.
ALTER TABLE QRTZ_X_NODES ADD COLUMN JOB_TYPES TEXT;

-- name: createDeclared
-- Who declared each job, trigger and calendar, and what was edited of it by hand.
-- SUBJECT: job, trigger or calendar, whose SUBJECT_GROUP is empty. JOB_NAME, JOB_GROUP: of a trigger its job, of a job itself.
-- DECLARED_SET: the set that it belongs to, null for none. DEFINITION: the schedule of a trigger that ends; an end that it tells of is not begun again.
-- OWNER: who declared it, in JSON. EDITS: what was edited by hand and what is declared, in JSON; null: nothing was.
CREATE TABLE IF NOT EXISTS QRTZ_X_DECLARED (
  SCHED_NAME TEXT NOT NULL,
  SUBJECT TEXT NOT NULL,
  SUBJECT_NAME TEXT NOT NULL,
  SUBJECT_GROUP TEXT NOT NULL,
  JOB_NAME TEXT,
  JOB_GROUP TEXT,
  DECLARED_SET TEXT,
  DEFINITION TEXT,
  OWNER TEXT NOT NULL,
  IS_EDITED INTEGER NOT NULL,
  EDITS TEXT,
  PRIMARY KEY (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexDeclaredJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_D_J ON QRTZ_X_DECLARED (SCHED_NAME, JOB_NAME, JOB_GROUP);

-- name: indexDeclaredE
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_D_E ON QRTZ_X_DECLARED (SCHED_NAME, IS_EDITED, SUBJECT, SUBJECT_GROUP, SUBJECT_NAME);
