-- Limits of concurrent firings: who executes under a key, and who waits for it.
-- Every step can run again on tables that have it already.

-- name: createHeld
-- What holds a key. ENTRY_ID: a fired trigger, or the id of an occurrence that is run in parts. A row counts while that row exists: what a dead
-- node held is free with its recovery, and an occurrence holds its key until its last part has ended.
CREATE TABLE IF NOT EXISTS QRTZ_X_HELD (
  SCHED_NAME TEXT NOT NULL,
  LIMIT_KEY TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: createWaiters
-- Triggers that are BLOCKED because their key is full; the one that was due first goes on first. MAX_RUNNING: the limit that it met.
CREATE TABLE IF NOT EXISTS QRTZ_X_WAITERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  LIMIT_KEY TEXT NOT NULL,
  MAX_RUNNING INTEGER NOT NULL,
  NEXT_FIRE_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexWaitersK
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_W_K ON QRTZ_X_WAITERS (SCHED_NAME, LIMIT_KEY, NEXT_FIRE_TIME);
