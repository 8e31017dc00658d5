-- Why what is paused is paused, and until when.
-- Every step can run again on tables that have it already.

-- name: createPauses
-- What was said of pauses; one of which nothing was said has no row. TARGET: trigger, job, triggers or jobs. TARGET_GROUP and TARGET_NAME: the
-- key of the one; of groups, what they are compared with, and how. UNTIL_TIME: when it ends by itself; null for one that does not.
-- PS_U: what ends by itself, read by every node again and again, however many do not.
-- HOLDS_RETRIES: 0 where waiting runs of earlier occurrences go on, else 1.
CREATE TABLE IF NOT EXISTS QRTZ_X_PAUSES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TARGET VARCHAR(8) NOT NULL,
  TARGET_GROUP VARCHAR(190) NOT NULL,
  TARGET_NAME VARCHAR(190) NOT NULL,
  REASON VARCHAR(1000) NULL,
  PAUSED_BY VARCHAR(190) NULL,
  SINCE_TIME BIGINT NOT NULL,
  UNTIL_TIME BIGINT NULL,
  HOLDS_RETRIES VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME),
  KEY IDX_QRTZ_X_PS_U (SCHED_NAME, UNTIL_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
