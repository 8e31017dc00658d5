-- name: countHeld
-- How many runs, and occurrences in parts, hold each key. rows: keys. Under the lock, in the transaction that fires.
-- Index: The primary keys of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
SELECT h.LIMIT_KEY, COUNT(*) AS HELD
FROM json_each(:rows)
CROSS JOIN QRTZ_X_HELD AS h
  ON h.SCHED_NAME = :schedName AND h.LIMIT_KEY = json_each.value
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_X_PARTS AS p
  ON p.SCHED_NAME = :schedName AND p.OCCURRENCE_ID = h.ENTRY_ID
WHERE f.ENTRY_ID IS NOT NULL
   OR p.OCCURRENCE_ID IS NOT NULL
GROUP BY h.LIMIT_KEY;

-- name: selectHolders
-- What executes under keys whose runs may be interrupted. rows: keys. As countHeld.
-- Index: The primary keys of QRTZ_X_HELD and QRTZ_FIRED_TRIGGERS.
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM json_each(:rows)
CROSS JOIN QRTZ_X_HELD AS h
  ON h.SCHED_NAME = :schedName AND h.LIMIT_KEY = json_each.value
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID;

-- name: countQueued
-- How many firings wait in each queue: that have not been completed, or whose deferred triggers have not fired. rows: keys of queues.
-- prefix: what the names of those triggers begin with.
-- Index: The primary keys of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT h.LIMIT_KEY, COUNT(*) AS QUEUED
FROM json_each(:rows)
CROSS JOIN QRTZ_X_HELD AS h
  ON h.SCHED_NAME = :schedName AND h.LIMIT_KEY = json_each.value
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = :prefix || h.ENTRY_ID AND t.TRIGGER_GROUP = :deferredGroup
WHERE f.ENTRY_ID IS NOT NULL
   OR t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
GROUP BY h.LIMIT_KEY;

-- name: insertHeld
-- rows: key and entry id.
-- Index: The primary key of QRTZ_X_HELD.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name, value ->> 0 AS limit_key, value ->> 1 AS entry_id
  FROM json_each(:rows))
INSERT INTO QRTZ_X_HELD (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
SELECT r.sched_name, r.limit_key, r.entry_id
FROM r;

-- name: deleteHeld
-- rows: key and entry id.
-- Index: The primary key of QRTZ_X_HELD.
DELETE FROM QRTZ_X_HELD
WHERE SCHED_NAME = :schedName
  AND (LIMIT_KEY, ENTRY_ID) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: selectEndedHeld
-- What is still said to execute, or to wait in a queue, and does not: of nodes that died. Read at times, and only where anything is held.
-- Index: The primary keys of QRTZ_X_HELD, its first column, of QRTZ_FIRED_TRIGGERS, QRTZ_X_PARTS and QRTZ_TRIGGERS.
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM QRTZ_X_HELD AS h
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_X_PARTS AS p
  ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = :prefix || h.ENTRY_ID AND t.TRIGGER_GROUP = :deferredGroup
WHERE h.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
  AND p.OCCURRENCE_ID IS NULL
  AND t.TRIGGER_NAME IS NULL
LIMIT :limit + 0;

-- name: upsertWaiters
-- rows: trigger, key, limit and fire time. One that waits already waits for what it was refused by last.
-- Index: The primary key of QRTZ_X_WAITERS.
INSERT INTO QRTZ_X_WAITERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, LIMIT_KEY, MAX_RUNNING, NEXT_FIRE_TIME)
SELECT :schedName, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
FROM json_each(:rows)
WHERE true -- or ON belongs to a join
ON CONFLICT DO UPDATE SET
  LIMIT_KEY = excluded.LIMIT_KEY,
  MAX_RUNNING = excluded.MAX_RUNNING,
  NEXT_FIRE_TIME = excluded.NEXT_FIRE_TIME;

-- name: selectWaiters
-- The first that wait for a key, with the state their triggers have now; null: gone.
-- Index: IDX_QRTZ_X_W_K in its order, the primary key of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP, w.NEXT_FIRE_TIME, t.TRIGGER_STATE
FROM QRTZ_X_WAITERS AS w INDEXED BY IDX_QRTZ_X_W_K
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND w.LIMIT_KEY = :limitKey
ORDER BY w.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: deleteWaiters
-- rows: keys of triggers.
-- Index: The primary key of QRTZ_X_WAITERS.
DELETE FROM QRTZ_X_WAITERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: selectIdleLimits
-- Keys that triggers wait for although they are not full: what held them died, or what was let go on was deleted,
-- or the limit was raised. rows: the limits of groups, keys and numbers, as they are now; of other keys the waiting triggers say theirs.
-- Index: IDX_QRTZ_X_W_K, its first column, the primary keys of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
SELECT w.LIMIT_KEY, COALESCE(MAX(json_extract(r.value, '$[1]')), MAX(w.MAX_RUNNING)) AS MAX_RUNNING,
       (SELECT COUNT(*)
        FROM QRTZ_X_HELD AS h
        LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
          ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
        LEFT JOIN QRTZ_X_PARTS AS p
          ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
        WHERE h.SCHED_NAME = :schedName
          AND h.LIMIT_KEY = w.LIMIT_KEY
          AND (f.ENTRY_ID IS NOT NULL OR p.OCCURRENCE_ID IS NOT NULL)) AS HELD
FROM QRTZ_X_WAITERS AS w INDEXED BY IDX_QRTZ_X_W_K
LEFT JOIN json_each(:rows) AS r
  ON json_extract(r.value, '$[0]') = w.LIMIT_KEY
WHERE w.SCHED_NAME = :schedName
GROUP BY w.LIMIT_KEY
HAVING HELD < COALESCE(MAX(json_extract(r.value, '$[1]')), MAX(w.MAX_RUNNING))
LIMIT :limit + 0;
