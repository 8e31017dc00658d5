-- Rates: how many firings of a key may begin within a time.
-- Every step can run again on tables that have it already.

-- name: createRates
-- The state of a key (STATE: when its firings began, and which turns were given, as JSON). From IDLE_TIME on (milliseconds since 1970) nothing
-- is known of it any more, and the row is found by that (X_RA_N).
CREATE TABLE IF NOT EXISTS QRTZ_X_RATES (
  SCHED_NAME TEXT NOT NULL,
  RATE_KEY TEXT NOT NULL,
  STATE TEXT NOT NULL,
  IDLE_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, RATE_KEY)
) STRICT, WITHOUT ROWID;

-- name: indexRatesN
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_RA_N ON QRTZ_X_RATES (SCHED_NAME, IDLE_TIME);

-- name: createPutOff
-- The line of a key: the triggers of firings that wait for their turn, in the order in which they were due (X_PO_K). ENTRY_ID: the firing that was
-- put off; the trigger is stored when that is completed.
CREATE TABLE IF NOT EXISTS QRTZ_X_PUT_OFF (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  RATE_KEY TEXT NOT NULL,
  DUE_TIME INTEGER NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexPutOffK
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_PO_K ON QRTZ_X_PUT_OFF (SCHED_NAME, RATE_KEY, DUE_TIME, TRIGGER_NAME, TRIGGER_GROUP);
