-- Occurrences that are run in parts: who counts the parts that have ended.
-- Every step can run again on tables that have it already.

-- name: createParts
-- One row for each occurrence that is run in parts, from the end of its first firing (OCCURRENCE_ID: the entry id) until each has
-- ended for good. REMAINING: those that have not; FAILED: those that have, as failed.
-- IS_BROADCAST: each part belongs to one node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARTS (
  SCHED_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  SCHED_TIME INTEGER NOT NULL,
  STARTED_TIME INTEGER NOT NULL,
  PARTS INTEGER NOT NULL,
  REMAINING INTEGER NOT NULL,
  FAILED INTEGER NOT NULL,
  IS_BROADCAST TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID)
) STRICT, WITHOUT ROWID;
