-- Rates: how many firings of a key may begin within a time.
-- Every step can run again on tables that have it already.

-- name: createRates
-- What is kept of a key. NEXT_SLOT: when the next firing would begin if all were spread evenly, in microseconds since 1970; what lies
-- in the past says nothing, and is found by it (X_RA_N).
CREATE TABLE IF NOT EXISTS QRTZ_X_RATES (
  SCHED_NAME TEXT NOT NULL,
  RATE_KEY TEXT NOT NULL,
  NEXT_SLOT INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, RATE_KEY)
) STRICT, WITHOUT ROWID;

-- name: indexRatesN
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_RA_N ON QRTZ_X_RATES (SCHED_NAME, NEXT_SLOT);
