-- Triggers of type AFTER, which wait for the end of jobs.

-- name: selectLinks
-- Selects every trigger that waits for jobs, with one row per job. Sent when such a trigger is stored.
-- Index: PRIMARY of QRTZ_X_PARENTS, its first column, and of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, x.JOB_NAME AS PARENT_NAME, x.JOB_GROUP AS PARENT_GROUP
FROM QRTZ_X_PARENTS AS x @index(PRIMARY)
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE x.SCHED_NAME = :schedName
  AND t.TRIGGER_TYPE = 'AFTER';

-- name: selectFollowers
-- Selects the triggers that wait for the end of any of these jobs and may fire, in key order. Sent under the lock.
-- Index: IDX_QRTZ_X_P_J, PRIMARY of QRTZ_TRIGGERS.
SELECT DISTINCT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_X_PARENTS AS x @index(IDX_QRTZ_X_P_J)
  ON x.SCHED_NAME = :schedName AND x.JOB_NAME = r.job_name AND x.JOB_GROUP = r.job_group
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE t.TRIGGER_TYPE = 'AFTER'
  AND t.TRIGGER_STATE IN ('WAITING', 'BLOCKED')
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME;

-- name: selectAnyFollowedOf
-- Finds out whether a trigger waits for the end of any of these jobs. For a script, so the answer has one column and at most one row.
-- Index: IDX_QRTZ_X_P_J.
SELECT 1 AS FOUND
FROM @list(:rows, job_name key, job_group key) AS r
@then QRTZ_X_PARENTS AS x @index(IDX_QRTZ_X_P_J)
  ON x.SCHED_NAME = :schedName AND x.JOB_NAME = r.job_name AND x.JOB_GROUP = r.job_group
LIMIT 1;

-- name: advanceAfterTriggers
-- Updates how many ends an AFTER trigger has counted (in STR_PROP_1) and how often it has fired, if they are unchanged since they were
-- read.
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET STR_PROP_1 = r.to_ended,
    INT_PROP_2 = r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, from_ended text(512), to_ended text(512), times_triggered int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.STR_PROP_1 = r.from_ended;

-- name: insertParents
-- Inserts the jobs that AFTER triggers wait for.
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows inserted.
INSERT INTO QRTZ_X_PARENTS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER, JOB_NAME, JOB_GROUP)
SELECT :schedName, r.trigger_name, r.trigger_group, r.parent_number, r.job_name, r.job_group
FROM @list(:rows, trigger_name key, trigger_group key, parent_number int, job_name key, job_group key) AS r;

-- name: deleteParents
-- Deletes the jobs that triggers wait for, before the triggers are deleted or replaced.
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows deleted.
DELETE FROM QRTZ_X_PARENTS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;
