-- How far the runs are that go on, and what they said last, for the other nodes.
-- Every step can run again on tables that have it already.

-- name: createProgress
-- One row for a run that said something, written by its node at most once a second. It counts as long as its fired trigger stands.
-- LOG_LINES: JSON, see domain/progress.ts. UPDATED_TIME: when it said how far it is, by the clock of its node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PROGRESS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  FRACTION DOUBLE NULL,
  MESSAGE VARCHAR(1000) NULL,
  LOG_LINES MEDIUMTEXT NULL,
  UPDATED_TIME BIGINT NULL,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
