-- How far the jobs of occurrences have come, for the next run of each.
-- Every step can run again on tables that have it already.

-- name: createCheckpoints
-- One row for each occurrence, or part of one (SHARD; -1: it has none), of which a run has saved something and that has not ended.
-- OCCURRENCE_ID: the entry id of its first firing. SAVED_VALUE: JSON. RUN_ID: the run that saved it, or the last to end with it. UPDATED_TIME: when; what is left over is deleted by its age.
CREATE TABLE IF NOT EXISTS QRTZ_X_CHECKPOINTS (
  SCHED_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  SHARD INTEGER NOT NULL,
  SAVED_VALUE TEXT NOT NULL,
  RUN_ID TEXT NOT NULL,
  UPDATED_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID, SHARD)
) STRICT;

-- name: indexCheckpointsU
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_C_U ON QRTZ_X_CHECKPOINTS (SCHED_NAME, UPDATED_TIME);
