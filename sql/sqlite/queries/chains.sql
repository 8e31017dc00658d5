-- What waits for the end of jobs: the triggers of the type AFTER.

-- name: selectLinks
-- Every trigger that waits for jobs, one row for each job. Read when such a trigger is stored.
-- Index: IDX_QRTZ_X_P_J, its first column, the primary key of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, x.JOB_NAME AS PARENT_NAME, x.JOB_GROUP AS PARENT_GROUP
FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE x.SCHED_NAME = :schedName
  AND t.TRIGGER_TYPE = 'AFTER';

-- name: selectFollowers
-- The triggers that wait for the end of any of these jobs and may fire, in the order of their keys. Under the lock.
-- Index: IDX_QRTZ_X_P_J, the primary key of QRTZ_TRIGGERS.
SELECT DISTINCT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM json_each(:rows)
CROSS JOIN QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
  ON x.SCHED_NAME = :schedName
 AND x.JOB_NAME = json_each.value ->> 'jobName'
 AND x.JOB_GROUP = json_each.value ->> 'jobGroup'
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE t.TRIGGER_TYPE = 'AFTER'
  AND t.TRIGGER_STATE IN ('WAITING', 'BLOCKED')
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME;

-- name: advanceAfterTriggers
-- How many ends of what an AFTER trigger waits for were counted (in STR_PROP_1), and how often it fired, over what was read.
-- Index: The primary key of QRTZ_SIMPROP_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS from_ended,
         value ->> 3 AS to_ended,
         value ->> 4 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET STR_PROP_1 = r.to_ended,
    INT_PROP_2 = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND t.STR_PROP_1 = r.from_ended;

-- name: insertParents
-- What AFTER triggers wait for.
-- Index: The primary key of QRTZ_X_PARENTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS parent_number,
         value ->> 3 AS job_name,
         value ->> 4 AS job_group
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PARENTS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER, JOB_NAME, JOB_GROUP)
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.parent_number, r.job_name, r.job_group
FROM r;

-- name: deleteParents
-- Before their triggers go, or are stored anew.
-- Index: The primary key of QRTZ_X_PARENTS.
DELETE FROM QRTZ_X_PARENTS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));
