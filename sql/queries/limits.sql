-- name: countHeld
-- Counts the runs and the occurrences with parts that hold each key. Sent in the transaction that fires. Rows whose runs a dead node has lost count
-- only where at most `room` rows are stored, because checking each row costs ten times as much as counting it.
-- rows: keys, and numbers of rows up to which a limit has enough capacity in any case.
-- Index: PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
SELECT r.limit_key AS LIMIT_KEY,
       COALESCE((SELECT CASE WHEN COUNT(*) <= r.room THEN COUNT(*) END
                 FROM QRTZ_X_HELD AS h @index(PRIMARY)
                 WHERE h.SCHED_NAME = :schedName
                   AND h.LIMIT_KEY = r.limit_key),
                (SELECT COUNT(*)
                 FROM QRTZ_X_HELD AS h @index(PRIMARY)
                 LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
                   ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
                 LEFT JOIN QRTZ_X_PARTS AS p @index(PRIMARY)
                   ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
                 WHERE h.SCHED_NAME = :schedName
                   AND h.LIMIT_KEY = r.limit_key
                   AND (f.ENTRY_ID IS NOT NULL OR p.OCCURRENCE_ID IS NOT NULL))) AS HELD
FROM @list(:rows, limit_key key, room int) AS r;

-- name: selectHolders
-- Selects the firings that execute under keys whose runs may be interrupted. Sent like countHeld. rows: keys.
-- Index: PRIMARY of QRTZ_X_HELD and QRTZ_FIRED_TRIGGERS.
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM @values(:rows, limit_key key) AS r
@then QRTZ_X_HELD AS h @index(PRIMARY)
  ON h.SCHED_NAME = :schedName AND h.LIMIT_KEY = r.limit_key
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID;

-- name: countQueued
-- Counts the firings in each queue: those that have not been completed, or whose deferred triggers have not fired. rows: keys of queues.
-- prefix: beginning of the names of deferred triggers.
-- Index: PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT h.LIMIT_KEY, COUNT(*) AS QUEUED
FROM @values(:rows, limit_key key) AS r
@then QRTZ_X_HELD AS h @index(PRIMARY)
  ON h.SCHED_NAME = :schedName AND h.LIMIT_KEY = r.limit_key
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = CONCAT(:prefix, h.ENTRY_ID) AND t.TRIGGER_GROUP = :deferredGroup
WHERE f.ENTRY_ID IS NOT NULL
   OR t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
GROUP BY h.LIMIT_KEY;

-- name: insertHeld
-- rows: key and entry id.
-- Index: PRIMARY of QRTZ_X_HELD. Locks: the rows inserted.
INSERT INTO QRTZ_X_HELD (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
SELECT :schedName, r.limit_key, r.entry_id
FROM @list(:rows, limit_key key, entry_id text(95)) AS r;

-- name: deleteHeld
-- rows: key and entry id.
-- Index: PRIMARY of QRTZ_X_HELD. Locks: the rows deleted.
DELETE FROM QRTZ_X_HELD AS t
USING @list(:rows, limit_key key, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.LIMIT_KEY = r.limit_key AND t.ENTRY_ID = r.entry_id;

-- name: selectEndedHeld
-- Selects entries that hold a key although they no longer execute or wait in a queue, because their nodes died. Sent periodically, if any key
-- is held.
-- Index: PRIMARY of QRTZ_X_HELD, its first column, of QRTZ_FIRED_TRIGGERS, QRTZ_X_PARTS and QRTZ_TRIGGERS.
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM QRTZ_X_HELD AS h @index(PRIMARY)
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_X_PARTS AS p @index(PRIMARY)
  ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = CONCAT(:prefix, h.ENTRY_ID) AND t.TRIGGER_GROUP = :deferredGroup
WHERE h.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
  AND p.OCCURRENCE_ID IS NULL
  AND t.TRIGGER_NAME IS NULL
LIMIT :limit;

-- name: upsertWaiters
-- Records the limit that a trigger waits for. If the trigger already waits, the limit that refused it last replaces the earlier one.
-- rows: trigger, key, limit and fire time.
-- Index: PRIMARY of QRTZ_X_WAITERS. Locks: the rows written.
INSERT INTO QRTZ_X_WAITERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, LIMIT_KEY, MAX_RUNNING, NEXT_FIRE_TIME)
SELECT :schedName, r.trigger_name, r.trigger_group, r.limit_key, r.max_running, r.next_fire_time
FROM @list(:rows, trigger_name key, trigger_group key, limit_key key, max_running int, next_fire_time int) AS r
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  LIMIT_KEY = excluded.LIMIT_KEY,
  MAX_RUNNING = excluded.MAX_RUNNING,
  NEXT_FIRE_TIME = excluded.NEXT_FIRE_TIME;

-- name: selectWaiters
-- Selects the first triggers that wait for a key, with their current states; null if the trigger is gone.
-- Index: IDX_QRTZ_X_W_K in its order, PRIMARY of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP, w.NEXT_FIRE_TIME, t.TRIGGER_STATE
FROM QRTZ_X_WAITERS AS w @index(IDX_QRTZ_X_W_K)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND w.LIMIT_KEY = :limitKey
ORDER BY w.NEXT_FIRE_TIME
LIMIT :limit;

-- name: selectAwaitedLimits
-- Selects the keys that triggers wait for. Sent without a lock, after completions that may have freed capacity. rows: keys.
-- Index: IDX_QRTZ_X_W_K, its first entry of each key.
SELECT r.limit_key AS LIMIT_KEY
FROM @values(:rows, limit_key key) AS r
WHERE (SELECT w.LIMIT_KEY
       FROM QRTZ_X_WAITERS AS w @index(IDX_QRTZ_X_W_K)
       WHERE w.SCHED_NAME = :schedName
         AND w.LIMIT_KEY = r.limit_key
       LIMIT 1) IS NOT NULL;

-- name: deleteWaiters
-- rows: keys of triggers.
-- Index: PRIMARY of QRTZ_X_WAITERS. Locks: the rows deleted.
DELETE FROM QRTZ_X_WAITERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectIdleLimits
-- Selects keys that triggers wait for although their limit is not reached. The holder died, the next trigger was deleted, or the limit was
-- raised.
-- rows: current limits of groups, as keys and numbers. The limits of other keys are stored with the waiting triggers.
-- Index: IDX_QRTZ_X_W_K, its first column, PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
SELECT w.LIMIT_KEY, COALESCE(MAX(r.max_running), MAX(w.MAX_RUNNING)) AS MAX_RUNNING,
       (SELECT COUNT(*)
        FROM QRTZ_X_HELD AS h @index(PRIMARY)
        LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
          ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
        LEFT JOIN QRTZ_X_PARTS AS p @index(PRIMARY)
          ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
        WHERE h.SCHED_NAME = :schedName
          AND h.LIMIT_KEY = w.LIMIT_KEY
          AND (f.ENTRY_ID IS NOT NULL OR p.OCCURRENCE_ID IS NOT NULL)) AS HELD
FROM QRTZ_X_WAITERS AS w @index(IDX_QRTZ_X_W_K)
LEFT JOIN @list(:rows, limit_key key, max_running int) AS r
  ON r.limit_key = w.LIMIT_KEY
WHERE w.SCHED_NAME = :schedName
GROUP BY w.LIMIT_KEY
HAVING HELD < COALESCE(MAX(r.max_running), MAX(w.MAX_RUNNING))
LIMIT :limit;
