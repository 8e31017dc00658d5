-- name: upsertPlaces
-- Where triggers may be fired. rows: trigger, labels needed, labels preferred, patience.
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows written.
INSERT INTO QRTZ_X_PLACES (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RUNS_ON, PREFERS, PATIENCE)
SELECT :schedName, r.trigger_name, r.trigger_group, r.runs_on, r.prefers, r.patience
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         runs_on       TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         prefers       TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         patience      BIGINT PATH '$[4]')) AS r
ON DUPLICATE KEY UPDATE
  RUNS_ON = r.runs_on,
  PREFERS = r.prefers,
  PATIENCE = r.patience;

-- name: deletePlaces
-- Of triggers that go, or that any node may fire from now on. rows: keys of triggers.
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_PLACES AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectStalePlaces
-- Of triggers that are gone: Java nodes delete triggers and know of no places. Read at times.
-- Index: PRIMARY of QRTZ_X_PLACES, its first column, and of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP
FROM QRTZ_X_PLACES AS w FORCE INDEX (PRIMARY)
LEFT JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND t.SCHED_NAME IS NULL
LIMIT :limit;
