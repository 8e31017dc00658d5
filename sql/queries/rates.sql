-- name: selectRates
-- Selects the state of each key. Sent under the lock, in the transaction that fires. rows: keys.
-- Index: PRIMARY of QRTZ_X_RATES.
SELECT t.RATE_KEY, t.STATE
FROM @values(:rows, rate_key key) AS r
@then QRTZ_X_RATES AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = r.rate_key;

-- name: upsertRates
-- Stores the states of keys. Sent like selectRates. rows: key, state and time from which it is idle.
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows written.
INSERT INTO QRTZ_X_RATES (SCHED_NAME, RATE_KEY, STATE, IDLE_TIME)
SELECT :schedName, r.rate_key, r.state, r.idle_time
FROM @list(:rows, rate_key key, state text, idle_time int) AS r
ON CONFLICT (SCHED_NAME, RATE_KEY) DO UPDATE SET
  STATE = excluded.STATE,
  IDLE_TIME = excluded.IDLE_TIME;

-- name: selectLine
-- Selects the first firings that wait for their turn under a key, with the state and next fire time of their triggers. Both are null if the
-- trigger is not stored yet. Leaves out triggers that are paused or blocked. Sent under the lock, in the transaction that fires.
-- Index: IDX_QRTZ_X_PO_K in its order, PRIMARY of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP, p.DUE_TIME, t.TRIGGER_STATE, t.NEXT_FIRE_TIME
FROM QRTZ_X_PUT_OFF AS p @index(IDX_QRTZ_X_PO_K)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND p.RATE_KEY = :rateKey
  AND (t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED') OR (t.TRIGGER_STATE IS NULL AND f.ENTRY_ID IS NOT NULL))
ORDER BY p.DUE_TIME, p.TRIGGER_NAME, p.TRIGGER_GROUP
LIMIT :limit;

-- name: insertPutOff
-- rows: trigger, key of the rate, due time, and entry id.
-- Index: PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows inserted.
INSERT INTO QRTZ_X_PUT_OFF (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RATE_KEY, DUE_TIME, ENTRY_ID)
SELECT :schedName, r.trigger_name, r.trigger_group, r.rate_key, r.due_time, r.entry_id
FROM @list(:rows, trigger_name key, trigger_group key, rate_key key, due_time int, entry_id text(95)) AS r;

-- name: deletePutOff
-- rows: keys of triggers.
-- Index: PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows deleted.
DELETE FROM QRTZ_X_PUT_OFF AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: moveTurns
-- Moves waiting triggers to another fire time. rows: trigger, state and fire time as read, and new fire time.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING',
    NEXT_FIRE_TIME = r.to_time
FROM @list(:rows, trigger_name key, trigger_group key, from_state text(16), from_time int, to_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;

-- name: selectRipe
-- Selects firings whose turn has come after :after and by :now, with their original due time. Sent only if there may be any.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_X_PUT_OFF.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, p.DUE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_X_PUT_OFF AS p @index(PRIMARY)
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > :after
  AND t.NEXT_FIRE_TIME <= :now
  AND p.DUE_TIME < t.NEXT_FIRE_TIME
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit;

-- name: recallTurns
-- Resets firings that wait for their turn to their original due time, after a rate was changed. rows: keys of jobs.
-- Index: IDX_QRTZ_T_J, PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET NEXT_FIRE_TIME = p.DUE_TIME
FROM QRTZ_X_PUT_OFF AS p
WHERE t.SCHED_NAME = :schedName
  AND (t.JOB_NAME, t.JOB_GROUP) IN (SELECT r.job_name, r.job_group FROM @rows(:rows, job_name key, job_group key) AS r)
  AND p.SCHED_NAME = :schedName
  AND p.TRIGGER_NAME = t.TRIGGER_NAME
  AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > p.DUE_TIME;
-- only: mysql
UPDATE @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
@then QRTZ_X_PUT_OFF AS p @index(PRIMARY)
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
SET t.NEXT_FIRE_TIME = p.DUE_TIME
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > p.DUE_TIME;

-- name: selectStalePutOff
-- Selects entries whose triggers were deleted, or whose firings were lost before their completion. Sent periodically.
-- Index: PRIMARY of QRTZ_X_PUT_OFF, its first column, of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP
FROM QRTZ_X_PUT_OFF AS p @index(PRIMARY)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME IS NULL
  AND f.ENTRY_ID IS NULL
LIMIT :limit;

-- name: selectLines
-- Selects keys with waiting firings, none of which has its turn by :time. Firings with earlier turns may have been deleted. Sent
-- periodically.
-- Index: IDX_QRTZ_X_PO_K, its first columns, PRIMARY of QRTZ_TRIGGERS.
SELECT p.RATE_KEY, MIN(t.NEXT_FIRE_TIME) AS TURN
FROM QRTZ_X_PUT_OFF AS p @index(IDX_QRTZ_X_PO_K)
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED')
GROUP BY p.RATE_KEY
HAVING TURN > :time
LIMIT :limit;

-- name: selectIdleRates
-- Selects keys whose state is idle. Sent periodically.
-- Index: IDX_QRTZ_X_RA_N, a range from its beginning.
SELECT t.RATE_KEY
FROM QRTZ_X_RATES AS t @index(IDX_QRTZ_X_RA_N)
WHERE t.SCHED_NAME = :schedName
  AND t.IDLE_TIME < :before
LIMIT :limit;

-- name: deleteIdleRates
-- Deletes idle keys. Sent under the lock; keys that were used in the meantime stay. rows: keys.
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows deleted.
DELETE FROM QRTZ_X_RATES AS t
USING @values(:rows, rate_key key) AS r
  ON t.SCHED_NAME = :schedName AND t.RATE_KEY = r.rate_key
WHERE t.IDLE_TIME < :before;
