-- How far the jobs of occurrences have come. SHARD -1: the occurrence has no parts.

-- name: selectCheckpoint
-- What was saved last. Asked by runs that are not the first of their occurrence.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS.
SELECT t.SAVED_VALUE
FROM QRTZ_X_CHECKPOINTS AS t @index(PRIMARY)
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
FROM @list(:rows, occurrence_id text(95), shard int, run_id text(95), saved_value text) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.run_id
WHERE f.INSTANCE_NAME = :instanceId
  AND f.STATE = 'EXECUTING'
FOR UPDATE OF f
ON CONFLICT (SCHED_NAME, OCCURRENCE_ID, SHARD) DO UPDATE SET
  SAVED_VALUE = excluded.SAVED_VALUE,
  RUN_ID = excluded.RUN_ID,
  UPDATED_TIME = excluded.UPDATED_TIME;

-- name: keepCheckpoints
-- rows: key and run. The run has ended and another one follows, or may: the value is as old as its end.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows changed.
UPDATE QRTZ_X_CHECKPOINTS AS t
SET RUN_ID = r.run_id, UPDATED_TIME = :now
FROM @list(:rows, occurrence_id text(95), shard int, run_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard;

-- name: selectOldCheckpoints
-- What nothing will read: nobody executes or will retry or recover the run that had it last. Those that are needed are passed over, and few.
-- Index: IDX_QRTZ_X_C_U in its order, PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT c.OCCURRENCE_ID, c.SHARD
FROM QRTZ_X_CHECKPOINTS AS c @index(IDX_QRTZ_X_C_U)
WHERE c.SCHED_NAME = :schedName
  AND c.UPDATED_TIME < :before
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
                  WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = c.RUN_ID)
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
                  WHERE t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = CONCAT('retry_', c.RUN_ID) AND t.TRIGGER_GROUP = 'RETRYING_JOBS')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS u @index(PRIMARY)
                  WHERE u.SCHED_NAME = :schedName AND u.TRIGGER_NAME = CONCAT('recover_', c.RUN_ID) AND u.TRIGGER_GROUP = 'RECOVERING_JOBS')
ORDER BY c.UPDATED_TIME
LIMIT :limit;

-- name: deleteCheckpoints
-- Those of the rows that were not changed since a time; there need be none.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows deleted.
DELETE FROM QRTZ_X_CHECKPOINTS AS t
USING @list(:rows, occurrence_id text(95), shard int) AS r
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard
WHERE t.UPDATED_TIME < :before;
