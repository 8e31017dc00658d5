-- name: deleteFirings
-- Ends firings that are still this node's: who deletes the row owns the completion. Fewer rows than asked for: some were taken away.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @rows(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'EXECUTING';

-- name: deleteConcurrentFirings
-- As deleteFirings, of firings whose jobs may run concurrently still: see markFiringsNonConcurrent. The rows: entry ids.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @values(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'EXECUTING'
  AND t.IS_NONCONCURRENT = '0';

-- name: selectFiredTriggers
-- What this node holds of a set of entries: after a commit without an answer, and when deleteFirings found that some are gone.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the fired rows read.
SELECT f.ENTRY_ID, f.STATE
FROM @rows(:rows, entry_id text(95)) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
WHERE f.INSTANCE_NAME = :instanceId
FOR UPDATE OF f;

-- name: selectCompletionTargets
-- What the completions of a batch touch: the job that was fired as it is stored now, and the trigger under the key that fired.
-- Read after the fired rows are gone, so that a job which became non-concurrent meanwhile is seen (see selectExecutingJobs).
-- Index: PRIMARY of QRTZ_JOB_DETAILS and QRTZ_TRIGGERS.
SELECT r.position AS POSITION, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.IS_DURABLE, t.TRIGGER_STATE,
       t.TRIGGER_TYPE, t.NEXT_FIRE_TIME, t.JOB_NAME, t.JOB_GROUP
FROM @list(:rows, position place, job_name key, job_group key, trigger_name key, trigger_group key) AS r
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteFinishedTriggers
-- Triggers that were read without a next fire time, unless one got a new time meanwhile: then fewer rows than asked for.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.NEXT_FIRE_TIME = -1;
-- only: sqlite
DELETE FROM QRTZ_TRIGGERS
WHERE rowid IN (SELECT t.rowid
                FROM @list(:rows, trigger_name key, trigger_group key) AS r
                @then QRTZ_TRIGGERS AS t
                  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
                WHERE +t.NEXT_FIRE_TIME = -1);

-- name: settleTriggersOfJobs
-- Every trigger of a job becomes COMPLETE or ERROR; those that are already stay. As the transitions `complete` and `fail` say.
-- Index: IDX_QRTZ_T_J. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = r.to_state
FROM @rows(:rows, job_name key, job_group key, to_state text(16)) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');

-- name: unblockTriggers
-- The triggers of jobs none of which execute any more: under the lock, and only after looking. As the transition `unblock` says.
-- Index: IDX_QRTZ_T_J. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED');

-- name: selectEarliestOfJobs
-- When the jobs fire next; null: nothing of them waits.
-- Index: IDX_QRTZ_T_J.
SELECT MIN(t.NEXT_FIRE_TIME) AS EARLIEST
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE = 'WAITING';
