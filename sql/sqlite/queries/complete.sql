-- name: deleteFirings
-- Ends firings that are still this node's: who deletes the row owns the completion. Fewer rows than asked for: some were taken away.
-- Index: The primary key of QRTZ_FIRED_TRIGGERS.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT value ->> 'entryId' FROM json_each(:rows))
  AND INSTANCE_NAME = :instanceId
  AND STATE = 'EXECUTING';

-- name: deleteConcurrentFirings
-- As deleteFirings, of firings whose jobs may run concurrently still: see markFiringsNonConcurrent. The rows: entry ids.
-- Index: The primary key of QRTZ_FIRED_TRIGGERS.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT value FROM json_each(:rows))
  AND INSTANCE_NAME = :instanceId
  AND STATE = 'EXECUTING'
  AND IS_NONCONCURRENT = '0';

-- name: selectFiredTriggers
-- What this node holds of a set of entries: after a commit without an answer, and when deleteFirings found that some are gone.
-- Index: The primary key of QRTZ_FIRED_TRIGGERS.
SELECT ENTRY_ID, STATE
FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT value ->> 'entryId' FROM json_each(:rows))
  AND INSTANCE_NAME = :instanceId;

-- name: selectCompletionTargets
-- What the completions of a batch touch: the job that was fired as it is stored now, and the trigger under the key that fired.
-- Read after the fired rows are gone, so that a job which became non-concurrent meanwhile is seen (see selectExecutingJobs).
-- Index: The primary key of QRTZ_JOB_DETAILS and QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group,
         value ->> 2 AS trigger_name,
         value ->> 3 AS trigger_group
  FROM json_each(:rows))
SELECT r.position AS POSITION, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.IS_DURABLE, t.TRIGGER_STATE,
       t.TRIGGER_TYPE, t.NEXT_FIRE_TIME, t.JOB_NAME, t.JOB_GROUP
FROM r
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = r.sched_name AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteFinishedTriggers
-- Triggers that were read without a next fire time, unless one got a new time meanwhile: then fewer rows than asked for.
-- Index: The primary key of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_TRIGGERS
WHERE rowid IN (SELECT t.rowid
                FROM r
                CROSS JOIN QRTZ_TRIGGERS AS t
                WHERE t.SCHED_NAME = r.sched_name
                AND t.TRIGGER_NAME = r.trigger_name
                AND t.TRIGGER_GROUP = r.trigger_group
                AND t.NEXT_FIRE_TIME = -1);

-- name: settleTriggersOfJobs
-- Every trigger of a job becomes COMPLETE or ERROR; those that are already stay. As the transitions `complete` and `fail` say.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'toState' AS to_state
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = r.to_state
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');

-- name: unblockTriggers
-- The triggers of jobs none of which execute any more: under the lock, and only after looking. As the transition `unblock` says.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED');

-- name: selectEarliestOfJobs
-- When the jobs fire next; null: nothing of them waits.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT MIN(t.NEXT_FIRE_TIME) AS EARLIEST
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND t.TRIGGER_STATE = 'WAITING';
