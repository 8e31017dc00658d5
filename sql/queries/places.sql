-- name: upsertPlaces
-- Stores the labels of the nodes on which triggers may fire. rows: trigger, required labels, preferred labels, fallback time.
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows written.
INSERT INTO QRTZ_X_PLACES (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RUNS_ON, PREFERS, FALLBACK_AFTER)
SELECT :schedName, r.trigger_name, r.trigger_group, r.runs_on, r.prefers, r.fallback_after
FROM @list(:rows, trigger_name key, trigger_group key, runs_on text, prefers text, fallback_after int) AS r
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  RUNS_ON = excluded.RUNS_ON,
  PREFERS = excluded.PREFERS,
  FALLBACK_AFTER = excluded.FALLBACK_AFTER;

-- name: deletePlaces
-- Deletes the places of triggers that are deleted, or that any node may fire from now on. rows: keys of triggers.
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows deleted.
DELETE FROM QRTZ_X_PLACES AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectStalePlaces
-- Selects the places of deleted triggers. Java nodes delete triggers without their places. Sent periodically.
-- Index: PRIMARY of QRTZ_X_PLACES, its first column, and of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP
FROM QRTZ_X_PLACES AS w @index(PRIMARY)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND t.SCHED_NAME IS NULL
LIMIT :limit;
