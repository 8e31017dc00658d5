-- name: upsertPlaces
-- Where triggers may be fired. rows: trigger, labels needed, labels preferred, patience.
-- Index: The primary key of QRTZ_X_PLACES.
INSERT INTO QRTZ_X_PLACES (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RUNS_ON, PREFERS, PATIENCE)
SELECT :schedName, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
FROM json_each(:rows)
WHERE TRUE
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE
SET RUNS_ON = excluded.RUNS_ON,
    PREFERS = excluded.PREFERS,
    PATIENCE = excluded.PATIENCE;

-- name: deletePlaces
-- Of triggers that go, or that any node may fire from now on. rows: keys of triggers.
-- Index: The primary key of QRTZ_X_PLACES.
DELETE FROM QRTZ_X_PLACES
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: selectStalePlaces
-- Of triggers that are gone: Java nodes delete triggers and know of no places. Read at times.
-- Index: The primary key of QRTZ_X_PLACES, its first column, and of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP
FROM QRTZ_X_PLACES AS w
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND t.SCHED_NAME IS NULL
LIMIT :limit + 0;
