-- What is kept of the runs that have ended.
-- Every step can run again on tables that have it already.

-- name: createRuns
-- One row for every run that was recorded: rows are appended, and the oldest are deleted first.
-- RUN_ID: the ENTRY_ID that the run had in QRTZ_FIRED_TRIGGERS. OCCURRENCE_ID: the RUN_ID of the first run. TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME: those of that first firing, also
-- for a retry or a recovery. DETAIL: JSON, see domain/run.ts.
-- X_R_J, X_R_T: the runs of a job, of a trigger, each outcome by itself, so that its few failures are found among its many successes.
-- X_R_O: runs by their outcome, dead letters, and what retention deletes.
-- X_R_I: a run by its id.
CREATE TABLE IF NOT EXISTS QRTZ_X_RUNS (
  SCHED_NAME TEXT NOT NULL,
  ENDED_TIME INTEGER NOT NULL,
  RUN_ID TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  JOB_CLASS_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  SCHED_TIME INTEGER NOT NULL,
  FIRED_TIME INTEGER NOT NULL,
  ATTEMPT INTEGER NOT NULL,
  OUTCOME TEXT NOT NULL,
  IS_DEAD_LETTER TEXT NOT NULL,
  ERROR_MESSAGE TEXT,
  DETAIL TEXT,
  PRIMARY KEY (SCHED_NAME, ENDED_TIME, RUN_ID)
) STRICT;

-- name: indexRunsJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_J ON QRTZ_X_RUNS (SCHED_NAME, JOB_NAME, JOB_GROUP, OUTCOME, ENDED_TIME, RUN_ID);

-- name: indexRunsT
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_T ON QRTZ_X_RUNS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, OUTCOME, ENDED_TIME, RUN_ID);

-- name: indexRunsO
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_O ON QRTZ_X_RUNS (SCHED_NAME, OUTCOME, IS_DEAD_LETTER, ENDED_TIME, RUN_ID);

-- name: indexRunsI
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_I ON QRTZ_X_RUNS (SCHED_NAME, RUN_ID);
