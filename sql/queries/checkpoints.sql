-- Checkpoints of occurrences. SHARD -1: the occurrence has no parts.

-- name: selectCheckpoint
-- Selects the last saved value. Sent for runs that are not the first of their occurrence.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS.
SELECT t.SAVED_VALUE, t.RUN_ID
FROM QRTZ_X_CHECKPOINTS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND t.OCCURRENCE_ID = :occurrenceId
  AND t.SHARD = :shard;

-- name: upsertCheckpoints
-- Stores values while the run's fired trigger exists and belongs to this node. The fired trigger is locked, so that a node that takes it
-- over waits until the value is stored. No row: the run was taken over, or has ended.
-- rows: key, run and value.
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
-- Marks values as still needed, at the end of a run that another run may follow. Their age counts from that end.
-- rows: key and run.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows changed.
UPDATE QRTZ_X_CHECKPOINTS AS t
SET RUN_ID = r.run_id, UPDATED_TIME = :now
FROM @list(:rows, occurrence_id text(95), shard int, run_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard;

-- name: selectOldCheckpoints
-- Selects old values that no run will read: the last run with the value is not executing, and no retry or recovery of it is stored. Reads
-- past values that are still needed; there are few of them.
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
-- Deletes values that have not changed since a time. The rows need not exist.
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows deleted.
DELETE FROM QRTZ_X_CHECKPOINTS AS t
USING @list(:rows, occurrence_id text(95), shard int) AS r
  ON t.SCHED_NAME = :schedName AND t.OCCURRENCE_ID = r.occurrence_id AND t.SHARD = r.shard
WHERE t.UPDATED_TIME < :before;
