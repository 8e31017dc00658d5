-- Limits of concurrent firings: who executes under a key, and who waits for it.
-- Every step can run again on tables that have it already.

-- name: createHeld
-- What holds a key. ENTRY_ID: a fired trigger, or the id of an occurrence that is run in parts. A row counts while that row exists: what a dead
-- node held is free with its recovery, and an occurrence holds its key until its last part has ended.
CREATE TABLE IF NOT EXISTS QRTZ_X_HELD (
  SCHED_NAME VARCHAR(120) NOT NULL,
  LIMIT_KEY VARCHAR(190) NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  PRIMARY KEY (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createWaiters
-- Triggers that are BLOCKED because their key is full; the one that was due first goes on first. MAX_RUNNING: the limit that it met.
CREATE TABLE IF NOT EXISTS QRTZ_X_WAITERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  LIMIT_KEY VARCHAR(190) NOT NULL,
  MAX_RUNNING INTEGER NOT NULL,
  NEXT_FIRE_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_X_W_K (SCHED_NAME, LIMIT_KEY, NEXT_FIRE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
