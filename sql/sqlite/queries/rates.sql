-- name: selectRates
-- What is kept of each key. rows: keys. Under the lock, in the transaction that fires.
-- Index: The primary key of QRTZ_X_RATES.
SELECT t.RATE_KEY, t.NEXT_SLOT
FROM json_each(:rows)
CROSS JOIN QRTZ_X_RATES AS t
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = json_each.value;

-- name: upsertRates
-- rows: key and its next slot. As selectRates.
-- Index: The primary key of QRTZ_X_RATES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name, value ->> 0 AS rate_key, value ->> 1 AS next_slot
  FROM json_each(:rows))
INSERT INTO QRTZ_X_RATES (SCHED_NAME, RATE_KEY, NEXT_SLOT)
SELECT r.sched_name, r.rate_key, r.next_slot
FROM r
WHERE TRUE
ON CONFLICT (SCHED_NAME, RATE_KEY) DO UPDATE SET
  NEXT_SLOT = excluded.NEXT_SLOT;

-- name: selectIdleRates
-- Keys of which what is kept says nothing any more. Read at times.
-- Index: IDX_QRTZ_X_RA_N, a range from its beginning.
SELECT t.RATE_KEY
FROM QRTZ_X_RATES AS t INDEXED BY IDX_QRTZ_X_RA_N
WHERE t.SCHED_NAME = :schedName
  AND t.NEXT_SLOT < :before
LIMIT :limit + 0;

-- name: deleteIdleRates
-- rows: keys. Under the lock: what was used meanwhile stays.
-- Index: The primary key of QRTZ_X_RATES.
DELETE FROM QRTZ_X_RATES
WHERE SCHED_NAME = :schedName
  AND RATE_KEY IN (SELECT value FROM json_each(:rows))
  AND +NEXT_SLOT < :before;
