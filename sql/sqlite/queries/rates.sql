-- name: selectRates
-- What is known of each key. rows: keys. Under the lock, in the transaction that fires.
-- Index: The primary key of QRTZ_X_RATES.
SELECT t.RATE_KEY, t.STATE
FROM json_each(:rows)
CROSS JOIN QRTZ_X_RATES AS t
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = json_each.value;

-- name: upsertRates
-- rows: key, state and when it is idle. As selectRates.
-- Index: The primary key of QRTZ_X_RATES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name, value ->> 0 AS rate_key, value ->> 1 AS state, value ->> 2 AS idle_time
  FROM json_each(:rows))
INSERT INTO QRTZ_X_RATES (SCHED_NAME, RATE_KEY, STATE, IDLE_TIME)
SELECT r.sched_name, r.rate_key, r.state, r.idle_time
FROM r
WHERE TRUE
ON CONFLICT (SCHED_NAME, RATE_KEY) DO UPDATE SET
  STATE = excluded.STATE,
  IDLE_TIME = excluded.IDLE_TIME;

-- name: selectLine
-- The first firings that wait for their turn under a key, with the state and the next fire time of their triggers; of those whose trigger is not
-- stored yet, nothing. Without those that something else keeps. Under the lock, in the transaction that fires.
-- Index: IDX_QRTZ_X_PO_K in its order, the primary keys of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP, p.DUE_TIME, t.TRIGGER_STATE, t.NEXT_FIRE_TIME
FROM QRTZ_X_PUT_OFF AS p INDEXED BY IDX_QRTZ_X_PO_K
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND p.RATE_KEY = :rateKey
  AND (t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED') OR (t.TRIGGER_STATE IS NULL AND f.ENTRY_ID IS NOT NULL))
ORDER BY p.DUE_TIME, p.TRIGGER_NAME, p.TRIGGER_GROUP
LIMIT :limit + 0;

-- name: insertPutOff
-- rows: trigger, key of the rate, when it was due, and entry id.
-- Index: The primary key of QRTZ_X_PUT_OFF.
INSERT INTO QRTZ_X_PUT_OFF (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RATE_KEY, DUE_TIME, ENTRY_ID)
SELECT :schedName, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
FROM json_each(:rows);

-- name: deletePutOff
-- rows: keys of triggers.
-- Index: The primary key of QRTZ_X_PUT_OFF.
DELETE FROM QRTZ_X_PUT_OFF
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: moveTurns
-- Lets waiting triggers of the line fire at another time. rows: trigger, the state and the fire time they were read with, and the new time.
-- Index: The primary key of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS from_state,
         value ->> 3 AS from_time,
         value ->> 4 AS to_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING',
    NEXT_FIRE_TIME = r.to_time
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;

-- name: selectRipe
-- What waited for a turn that has come up after a time and not later than now, and when it was due. Read only where such may be.
-- Index: IDX_QRTZ_T_NFT_ST in its order, The primary key of QRTZ_X_PUT_OFF.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, p.DUE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_X_PUT_OFF AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > :after
  AND t.NEXT_FIRE_TIME <= :now
  AND p.DUE_TIME < t.NEXT_FIRE_TIME
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: recallTurns
-- Lets what waits for its turn come up now, in its order, where a rate was changed. rows: keys of jobs.
-- Index: IDX_QRTZ_T_J, the primary key of QRTZ_X_PUT_OFF.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET NEXT_FIRE_TIME = p.DUE_TIME
FROM r
CROSS JOIN QRTZ_X_PUT_OFF AS p
  ON p.SCHED_NAME = r.sched_name
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND p.TRIGGER_NAME = t.TRIGGER_NAME
  AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > p.DUE_TIME;

-- name: selectStalePutOff
-- Places of triggers that are gone, and of firings that were lost before they were completed. Read at times.
-- Index: The primary key of QRTZ_X_PUT_OFF, its first column, of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP
FROM QRTZ_X_PUT_OFF AS p
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME IS NULL
  AND f.ENTRY_ID IS NULL
LIMIT :limit + 0;

-- name: selectLines
-- The keys under which firings wait, where none comes up before the time: those that were to come up may have been deleted. Read at times.
-- Index: IDX_QRTZ_X_PO_K, its first columns, the primary key of QRTZ_TRIGGERS.
SELECT p.RATE_KEY, MIN(t.NEXT_FIRE_TIME) AS TURN
FROM QRTZ_X_PUT_OFF AS p INDEXED BY IDX_QRTZ_X_PO_K
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED')
GROUP BY p.RATE_KEY
HAVING TURN > :time
LIMIT :limit + 0;

-- name: selectIdleRates
-- Keys of which nothing is known any more. Read at times.
-- Index: IDX_QRTZ_X_RA_N, a range from its beginning.
SELECT t.RATE_KEY
FROM QRTZ_X_RATES AS t INDEXED BY IDX_QRTZ_X_RA_N
WHERE t.SCHED_NAME = :schedName
  AND t.IDLE_TIME < :before
LIMIT :limit + 0;

-- name: deleteIdleRates
-- rows: keys. Under the lock: what was used meanwhile stays.
-- Index: The primary key of QRTZ_X_RATES.
DELETE FROM QRTZ_X_RATES
WHERE SCHED_NAME = :schedName
  AND RATE_KEY IN (SELECT value FROM json_each(:rows))
  AND +IDLE_TIME < :before;
