-- How far the jobs of occurrences have come. SHARD -1: the occurrence has no parts.

-- name: selectCheckpoint
-- What was saved last. Asked by runs that are not the first of their occurrence.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS.
SELECT t.SAVED_VALUE
FROM QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.SCHED_TIME = :scheduledTime
  AND t.SHARD = :shard;

-- name: upsertCheckpoints
-- rows: key, run and value. Only while the fired trigger of the run stands and is this node's; it is locked, so that who takes it away waits
-- until the value is stored. No row: the run was taken away, or has ended.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_CHECKPOINTS. Locks: the fired trigger, the row written.
INSERT INTO QRTZ_X_CHECKPOINTS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME, SHARD, SAVED_VALUE, RUN_ID, UPDATED_TIME)
SELECT :schedName, r.trigger_name, r.trigger_group, r.scheduled_time, r.shard, r.saved_value, r.run_id, :now
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         scheduled_time BIGINT PATH '$[2]',
         shard          INTEGER PATH '$[3]',
         run_id         VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
         saved_value    LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS r
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
         trigger_name   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         scheduled_time BIGINT PATH '$[2]',
         shard          INTEGER PATH '$[3]',
         run_id         VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]')) AS r
STRAIGHT_JOIN QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
     AND t.SCHED_TIME = r.scheduled_time AND t.SHARD = r.shard
SET t.RUN_ID = r.run_id, t.UPDATED_TIME = :now;

-- name: selectOldCheckpoints
-- What nothing will read: nobody executes or will retry or recover the run that had it last. Those that are needed are passed over, and few.
-- Index: IDX_QRTZ_X_C_U in its order, PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT c.TRIGGER_NAME, c.TRIGGER_GROUP, c.SCHED_TIME, c.SHARD
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
         trigger_name   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         scheduled_time BIGINT PATH '$[2]',
         shard          INTEGER PATH '$[3]')) AS r
STRAIGHT_JOIN QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
     AND t.SCHED_TIME = r.scheduled_time AND t.SHARD = r.shard
WHERE t.UPDATED_TIME < :before;
