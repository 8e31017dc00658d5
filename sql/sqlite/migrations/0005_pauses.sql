-- Why what is paused is paused, and until when.
-- Every step can run again on tables that have it already.

-- name: createPauses
-- What was said of pauses; one of which nothing was said has no row. TARGET: trigger, job, triggers or jobs. TARGET_GROUP and TARGET_NAME: the
-- key of the one; of groups, what they are compared with, and how. UNTIL_TIME: when it ends by itself; null for one that does not.
-- PS_U: what ends by itself, read by every node again and again, however many do not.
-- HOLDS_RETRIES: 0 where waiting runs of earlier occurrences go on, else 1.
CREATE TABLE IF NOT EXISTS QRTZ_X_PAUSES (
  SCHED_NAME TEXT NOT NULL,
  TARGET TEXT NOT NULL,
  TARGET_GROUP TEXT NOT NULL,
  TARGET_NAME TEXT NOT NULL,
  REASON TEXT,
  PAUSED_BY TEXT,
  SINCE_TIME INTEGER NOT NULL,
  UNTIL_TIME INTEGER,
  HOLDS_RETRIES TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME)
) STRICT, WITHOUT ROWID;

-- name: indexPauseEnds
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_PS_U ON QRTZ_X_PAUSES (SCHED_NAME, UNTIL_TIME);
