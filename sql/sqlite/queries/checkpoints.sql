-- How far the jobs of occurrences have come. SHARD -1: the occurrence has no parts.

-- name: selectCheckpoint
-- What was saved last. Asked by runs that are not the first of their occurrence.
-- Index: The primary key of QRTZ_X_CHECKPOINTS.
SELECT SAVED_VALUE
FROM QRTZ_X_CHECKPOINTS
WHERE SCHED_NAME = :schedName
  AND OCCURRENCE_ID = :occurrenceId
  AND SHARD = :shard;

-- name: upsertCheckpoints
-- rows: key, run and value. Only while the fired trigger of the run stands and is this node's. No row: the run was taken away, or has ended.
-- Index: The primary keys of QRTZ_FIRED_TRIGGERS and QRTZ_X_CHECKPOINTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS shard,
         value ->> 2 AS run_id,
         value ->> 3 AS saved_value
  FROM json_each(:rows))
INSERT INTO QRTZ_X_CHECKPOINTS
      (SCHED_NAME, OCCURRENCE_ID, SHARD, SAVED_VALUE, RUN_ID, UPDATED_TIME)
SELECT r.sched_name, r.occurrence_id, r.shard, r.saved_value, r.run_id, :now
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
WHERE f.SCHED_NAME = r.sched_name
  AND f.ENTRY_ID = r.run_id
  AND f.INSTANCE_NAME = :instanceId
  AND f.STATE = 'EXECUTING'
ON CONFLICT DO UPDATE SET
  SAVED_VALUE = excluded.SAVED_VALUE,
  RUN_ID = excluded.RUN_ID,
  UPDATED_TIME = excluded.UPDATED_TIME;

-- name: keepCheckpoints
-- rows: key and run. The run has ended and another one follows, or may: the value is as old as its end.
-- Index: The primary key of QRTZ_X_CHECKPOINTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS shard,
         value ->> 2 AS run_id
  FROM json_each(:rows))
UPDATE QRTZ_X_CHECKPOINTS AS t
SET RUN_ID = r.run_id, UPDATED_TIME = :now
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OCCURRENCE_ID = r.occurrence_id
  AND t.SHARD = r.shard;

-- name: selectOldCheckpoints
-- What nothing will read: nobody executes or will retry or recover the run that had it last. Those that are needed are passed over, and few.
-- Index: IDX_QRTZ_X_C_U in its order, the primary keys of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT c.OCCURRENCE_ID, c.SHARD
FROM QRTZ_X_CHECKPOINTS AS c INDEXED BY IDX_QRTZ_X_C_U
WHERE c.SCHED_NAME = :schedName
  AND c.UPDATED_TIME < :before
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f
                  WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = c.RUN_ID)
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t
                  WHERE t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = 'retry_' || c.RUN_ID AND t.TRIGGER_GROUP = 'RETRYING_JOBS')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS u
                  WHERE u.SCHED_NAME = :schedName AND u.TRIGGER_NAME = 'recover_' || c.RUN_ID AND u.TRIGGER_GROUP = 'RECOVERING_JOBS')
ORDER BY c.UPDATED_TIME
LIMIT :limit + 0;

-- name: deleteCheckpoints
-- Those of the rows that were not changed since a time; there need be none.
-- Index: The primary key of QRTZ_X_CHECKPOINTS.
DELETE FROM QRTZ_X_CHECKPOINTS
WHERE SCHED_NAME = :schedName
  AND (OCCURRENCE_ID, SHARD) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows))
  AND +UPDATED_TIME < :before; -- no index: there are few rows, and they are known
