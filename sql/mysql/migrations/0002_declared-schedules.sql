-- What schedules were declared, and which job types each node can run.
-- Every step can run again on tables that have it already.

-- name: addJobTypes
-- unless column: JOB_TYPES on QRTZ_X_NODES
-- JOB_TYPES: what it can run, a list in JSON; null where that is not known.
ALTER TABLE QRTZ_X_NODES ADD COLUMN JOB_TYPES MEDIUMTEXT NULL;

-- name: createDeclared
-- Who declared each job, trigger and calendar, and what was edited of it by hand.
-- SUBJECT: job, trigger or calendar, whose SUBJECT_GROUP is empty. JOB_NAME, JOB_GROUP: of a trigger its job, of a job itself.
-- DECLARED_SET: the set that it belongs to, null for none. DEFINITION: the schedule of a trigger that ends; an end that it tells of is not begun again.
-- OWNER: who declared it, in JSON. EDITS: what was edited by hand and what is declared, in JSON; null: nothing was.
CREATE TABLE IF NOT EXISTS QRTZ_X_DECLARED (
  SCHED_NAME VARCHAR(120) NOT NULL,
  SUBJECT VARCHAR(8) NOT NULL,
  SUBJECT_NAME VARCHAR(190) NOT NULL,
  SUBJECT_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NULL,
  JOB_GROUP VARCHAR(190) NULL,
  DECLARED_SET VARCHAR(190) NULL,
  DEFINITION TEXT NULL,
  OWNER TEXT NOT NULL,
  IS_EDITED BOOLEAN NOT NULL,
  EDITS LONGTEXT NULL,
  PRIMARY KEY (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP),
  KEY IDX_QRTZ_X_D_J (SCHED_NAME, JOB_NAME, JOB_GROUP),
  KEY IDX_QRTZ_X_D_E (SCHED_NAME, IS_EDITED, SUBJECT, SUBJECT_GROUP, SUBJECT_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
