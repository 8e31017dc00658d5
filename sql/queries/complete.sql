-- name: deleteFirings
-- Ends firings that still belong to this node. The node that deletes the row owns the completion. Fewer rows than requested: some were
-- taken over.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @rows(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'EXECUTING';

-- name: deleteConcurrentFirings
-- Like deleteFirings, for firings whose jobs may still run concurrently; see markFiringsNonConcurrent. rows: entry ids.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @values(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'EXECUTING'
  AND t.IS_NONCONCURRENT = '0';

-- name: selectFiredTriggers
-- Selects the firings of a set that still belong to this node. Sent after a commit without an answer, and if deleteFirings found that some are gone.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the fired rows read.
SELECT f.ENTRY_ID, f.STATE
FROM @rows(:rows, entry_id text(95)) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
WHERE f.INSTANCE_NAME = :instanceId
FOR UPDATE OF f;

-- name: selectCompletionTargets
-- Selects the rows that the completions of a batch affect: the current row of each fired job, and the trigger under the key that fired.
-- Sent after the fired rows are deleted, so that a job that has become non-concurrent since is seen (see selectExecutingJobs).
-- Index: PRIMARY of QRTZ_JOB_DETAILS and QRTZ_TRIGGERS.
SELECT r.position AS POSITION, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.IS_DURABLE, t.TRIGGER_STATE,
       t.TRIGGER_TYPE, t.NEXT_FIRE_TIME, t.JOB_NAME, t.JOB_GROUP
FROM @list(:rows, position place, job_name key, job_group key, trigger_name key, trigger_group key) AS r
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteFinishedTriggers
-- Deletes triggers that were read without a next fire time. Fewer rows than requested: one has a new fire time.
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
-- Sets all triggers of a job to COMPLETE or ERROR, as the transitions `complete` and `fail` define. Triggers already in one of these states
-- stay. Skips rows that another session has locked, because a wait under TRIGGER_ACCESS would stop all firing. selectActiveTriggersOfJobs then
-- finds those that were committed.
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = r.to_state
FROM @rows(:rows, job_name key, job_group key, to_state text(16)) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');
-- only: mysql
UPDATE /*+ NO_MERGE(k) */ (SELECT s.TRIGGER_NAME, s.TRIGGER_GROUP, s.TRIGGER_STATE, r.to_state
                           FROM @rows(:rows, job_name key, job_group key, to_state text(16)) AS r
                           @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                             ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                           WHERE s.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
                           FOR UPDATE OF s SKIP LOCKED) AS k
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP
SET t.TRIGGER_STATE = k.to_state;

-- name: selectActiveTriggersOfJobs
-- Selects the triggers of jobs that can still fire. Sent after settleTriggersOfJobs: another session has locked those that remain.
-- Index: IDX_QRTZ_T_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');

-- name: unblockTriggers
-- Unblocks the triggers of jobs that no longer execute, as the transition `unblock` defines. Sent under the lock, after checking the jobs. Skips
-- rows that another session has locked, because a wait under TRIGGER_ACCESS would stop all firing. The sweeper unblocks them later.
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED');
-- only: mysql
UPDATE /*+ NO_MERGE(k) */ (SELECT s.TRIGGER_NAME, s.TRIGGER_GROUP, s.TRIGGER_STATE
                           FROM @rows(:rows, job_name key, job_group key) AS r
                           @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                             ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                           WHERE s.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
                           FOR UPDATE OF s SKIP LOCKED) AS k
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP
SET t.TRIGGER_STATE = CASE k.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END;

-- name: unblockIdleTriggers
-- Like unblockTriggers, for the jobs of the set that no longer execute. For a script, which cannot check the jobs before.
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_J_G, PRIMARY. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_J_G)
                  WHERE e.SCHED_NAME = :schedName AND e.JOB_NAME = r.job_name AND e.JOB_GROUP = r.job_group AND e.STATE = 'EXECUTING');
-- only: mysql
UPDATE /*+ NO_MERGE(k) */ (SELECT s.TRIGGER_NAME, s.TRIGGER_GROUP, s.TRIGGER_STATE
                           FROM @rows(:rows, job_name key, job_group key) AS r
                           @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                             ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                           WHERE s.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
                             AND NOT EXISTS (SELECT 1
                                             FROM QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_J_G)
                                             WHERE e.SCHED_NAME = :schedName
                                               AND e.JOB_NAME = s.JOB_NAME
                                               AND e.JOB_GROUP = s.JOB_GROUP
                                               AND e.STATE = 'EXECUTING')
                           FOR UPDATE OF s SKIP LOCKED) AS k
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP
SET t.TRIGGER_STATE = CASE k.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END;

-- name: selectEarliestOfJobs
-- Selects the earliest fire time of the jobs' waiting triggers; null if none waits.
-- Index: IDX_QRTZ_T_J.
SELECT MIN(t.NEXT_FIRE_TIME) AS EARLIEST
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE = 'WAITING';
