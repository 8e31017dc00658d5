-- Occurrences that are run in parts: who counts the parts that have ended.
-- Every step can run again on tables that have it already.

-- name: createParts
-- One row for each occurrence that is run in parts, from the end of its first firing (OCCURRENCE_ID: the entry id) until each has
-- ended for good. REMAINING: those that have not; FAILED: those that have, as failed.
-- IS_BROADCAST: each part belongs to one node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARTS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  OCCURRENCE_ID VARCHAR(95) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  SCHED_TIME BIGINT NOT NULL,
  STARTED_TIME BIGINT NOT NULL,
  PARTS INTEGER NOT NULL,
  REMAINING INTEGER NOT NULL,
  FAILED INTEGER NOT NULL,
  IS_BROADCAST VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
