-- Rates: how many firings of a key may begin within a time.
-- Every step can run again on tables that have it already.

-- name: createRates
-- The state of a key (STATE: when its firings began, and which turns were given, as JSON). From IDLE_TIME on (milliseconds since 1970) nothing
-- is known of it any more, and the row is found by that (X_RA_N).
CREATE TABLE IF NOT EXISTS QRTZ_X_RATES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  RATE_KEY VARCHAR(190) NOT NULL,
  STATE TEXT NOT NULL,
  IDLE_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, RATE_KEY),
  KEY IDX_QRTZ_X_RA_N (SCHED_NAME, IDLE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createPutOff
-- The line of a key: the triggers of firings that wait for their turn, in the order in which they were due (X_PO_K). ENTRY_ID: the firing that was
-- put off; the trigger is stored when that is completed.
CREATE TABLE IF NOT EXISTS QRTZ_X_PUT_OFF (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  RATE_KEY VARCHAR(190) NOT NULL,
  DUE_TIME BIGINT NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_X_PO_K (SCHED_NAME, RATE_KEY, DUE_TIME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
