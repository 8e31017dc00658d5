-- What is kept of the runs that have ended.
-- Every step can run again on tables that have it already.

-- name: createRuns
-- One row for every run that was recorded, clustered by the time at which it ended: rows are appended, and the oldest are deleted first.
-- RUN_ID: the ENTRY_ID that the run had in QRTZ_FIRED_TRIGGERS. OCCURRENCE_ID: the RUN_ID of the first run. TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME: those of that first firing, also
-- for a retry or a recovery. DETAIL: JSON, see domain/run.ts.
-- X_R_J, X_R_T: the runs of a job, of a trigger, each outcome by itself, so that its few failures are found among its many successes.
-- X_R_O: runs by their outcome, dead letters, and what retention deletes.
-- X_R_I: a run by its id.
CREATE TABLE IF NOT EXISTS QRTZ_X_RUNS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ENDED_TIME BIGINT NOT NULL,
  RUN_ID VARCHAR(95) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  JOB_CLASS_NAME VARCHAR(250) NOT NULL,
  INSTANCE_NAME VARCHAR(190) NOT NULL,
  OCCURRENCE_ID VARCHAR(95) NOT NULL,
  SCHED_TIME BIGINT NOT NULL,
  FIRED_TIME BIGINT NOT NULL,
  ATTEMPT INTEGER NOT NULL,
  OUTCOME VARCHAR(16) NOT NULL,
  IS_DEAD_LETTER VARCHAR(1) NOT NULL,
  ERROR_MESSAGE VARCHAR(1000) NULL,
  DETAIL MEDIUMTEXT NULL,
  PRIMARY KEY (SCHED_NAME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_J (SCHED_NAME, JOB_NAME, JOB_GROUP, OUTCOME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_T (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, OUTCOME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_O (SCHED_NAME, OUTCOME, IS_DEAD_LETTER, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_I (SCHED_NAME, RUN_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
