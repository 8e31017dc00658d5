-- name: markExecuting
-- Turns reservations that are still this node's into firings.
-- Index: The primary key of QRTZ_FIRED_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS entry_id,
         value ->> 1 AS scheduled_time,
         value ->> 2 AS job_name,
         value ->> 3 AS job_group,
         value ->> 4 AS is_nonconcurrent,
         value ->> 5 AS requests_recovery
  FROM json_each(:rows))
UPDATE QRTZ_FIRED_TRIGGERS AS t
SET STATE = 'EXECUTING',
    FIRED_TIME = :now,
    SCHED_TIME = r.scheduled_time,
    JOB_NAME = r.job_name,
    JOB_GROUP = r.job_group,
    IS_NONCONCURRENT = r.is_nonconcurrent,
    REQUESTS_RECOVERY = r.requests_recovery
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.ENTRY_ID = r.entry_id
  AND t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED';

-- name: deleteReservations
-- What this node reserved and does not fire.
-- Index: The primary key of QRTZ_FIRED_TRIGGERS.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT value ->> 'entryId' FROM json_each(:rows))
  AND INSTANCE_NAME = :instanceId
  AND STATE = 'ACQUIRED';

-- name: blockTriggers
-- The triggers of jobs that now execute and must not execute twice. As the transition `block` says.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED');

-- name: markFiringsNonConcurrent
-- What executes of jobs that have become non-concurrent: its completion, which holds no lock, must look at the job then.
-- Index: IDX_QRTZ_FT_J_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_FIRED_TRIGGERS AS t INDEXED BY IDX_QRTZ_FT_J_G
SET IS_NONCONCURRENT = '1'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND t.STATE = 'EXECUTING';

-- name: deleteReservationsOfJobs
-- Ends the reservations of blocked triggers: who holds one loses by its row count.
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT f.ENTRY_ID
                   FROM r
                   CROSS JOIN QRTZ_TRIGGERS AS t
                   CROSS JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
                   WHERE t.SCHED_NAME = r.sched_name
                     AND t.JOB_NAME = r.job_name
                     AND t.JOB_GROUP = r.job_group
                     AND f.SCHED_NAME = t.SCHED_NAME
                     AND f.TRIGGER_NAME = t.TRIGGER_NAME
                     AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
                     AND f.STATE = 'ACQUIRED');
