-- name: selectRates
-- What is kept of each key. rows: keys. Under the lock, in the transaction that fires.
-- Index: PRIMARY of QRTZ_X_RATES.
SELECT t.RATE_KEY, t.NEXT_SLOT
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         rate_key VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r
STRAIGHT_JOIN QRTZ_X_RATES AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = r.rate_key;

-- name: upsertRates
-- rows: key and its next slot. As selectRates.
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows written.
INSERT INTO QRTZ_X_RATES (SCHED_NAME, RATE_KEY, NEXT_SLOT)
SELECT :schedName, r.rate_key, r.next_slot
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         rate_key  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         next_slot BIGINT PATH '$[1]')) AS r
ON DUPLICATE KEY UPDATE
  NEXT_SLOT = r.next_slot;

-- name: selectIdleRates
-- Keys of which what is kept says nothing any more. Read at times.
-- Index: IDX_QRTZ_X_RA_N, a range from its beginning.
SELECT t.RATE_KEY
FROM QRTZ_X_RATES AS t FORCE INDEX (IDX_QRTZ_X_RA_N)
WHERE t.SCHED_NAME = :schedName
  AND t.NEXT_SLOT < :before
LIMIT :limit;

-- name: deleteIdleRates
-- rows: keys. Under the lock: what was used meanwhile stays.
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         rate_key VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r
STRAIGHT_JOIN QRTZ_X_RATES AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = r.rate_key
WHERE t.NEXT_SLOT < :before;
