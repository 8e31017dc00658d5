-- How far the jobs of occurrences have come. SHARD -1: the occurrence has no parts.

-- name: selectCheckpoint
-- What was saved last. Asked by runs that are not the first of their occurrence.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS.
SELECT t.SAVED_VALUE
FROM QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND t.OCCURRENCE_ID = :occurrenceId
  AND t.SHARD = :shard;

-- name: upsertCheckpoints
-- rows: key, run and value. Only while the fired trigger of the run stands and is this node's; it is locked, so that who takes it away waits
-- until the value is stored. No row: the run was taken away, or has ended.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_CHECKPOINTS. Locks: the fired trigger, the row written.
INSERT INTO QRTZ_X_CHECKPOINTS
      (SCHED_NAME, OCCURRENCE_ID, SHARD, SAVED_VALUE, RUN_ID, UPDATED_TIME)
SELECT :schedName, r.occurrence_id, r.shard, r.saved_value, r.run_id, :now
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         occurrence_id VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         shard         INTEGER PATH '$[1]',
         run_id        VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         saved_value   LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]')) AS r
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS f FORCE INDEX (PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.run_id
WHERE f.INSTANCE_NAME = :instanceId
  AND f.STATE = 'EXECUTING'
FOR UPDATE /*!80000 OF f */
ON DUPLICATE KEY UPDATE
  SAVED_VALUE = r.saved_value,
  RUN_ID = r.run_id,
  UPDATED_TIME = :now;

-- name: keepCheckpoints
-- rows: key and run. The run has ended and another one follows, or may: the value is as old as its end.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         occurrence_id VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         shard         INTEGER PATH '$[1]',
         run_id        VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard
SET t.RUN_ID = r.run_id, t.UPDATED_TIME = :now;

-- name: selectOldCheckpoints
-- What nothing will read: nobody executes or will retry or recover the run that had it last. Those that are needed are passed over, and few.
-- Index: IDX_QRTZ_X_C_U in its order, PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT c.OCCURRENCE_ID, c.SHARD
FROM QRTZ_X_CHECKPOINTS AS c FORCE INDEX (IDX_QRTZ_X_C_U)
WHERE c.SCHED_NAME = :schedName
  AND c.UPDATED_TIME < :before
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f FORCE INDEX (PRIMARY)
                  WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = c.RUN_ID)
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
                  WHERE t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = CONCAT('retry_', c.RUN_ID) AND t.TRIGGER_GROUP = 'RETRYING_JOBS')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS u FORCE INDEX (PRIMARY)
                  WHERE u.SCHED_NAME = :schedName AND u.TRIGGER_NAME = CONCAT('recover_', c.RUN_ID) AND u.TRIGGER_GROUP = 'RECOVERING_JOBS')
ORDER BY c.UPDATED_TIME
LIMIT :limit;

-- name: deleteCheckpoints
-- Those of the rows that were not changed since a time; there need be none.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         occurrence_id VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         shard         INTEGER PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard
WHERE t.UPDATED_TIME < :before;
