-- What waits for the end of jobs: the triggers of the type AFTER.

-- name: selectLinks
-- Every trigger that waits for jobs, one row for each job. Read when such a trigger is stored.
-- Index: PRIMARY of QRTZ_X_PARENTS, its first column, and of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, x.JOB_NAME AS PARENT_NAME, x.JOB_GROUP AS PARENT_GROUP
FROM QRTZ_X_PARENTS AS x FORCE INDEX (PRIMARY)
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE x.SCHED_NAME = :schedName
  AND t.TRIGGER_TYPE = 'AFTER';

-- name: selectFollowers
-- The triggers that wait for the end of any of these jobs and may fire, in the order of their keys. Under the lock.
-- Index: IDX_QRTZ_X_P_J, PRIMARY of QRTZ_TRIGGERS.
SELECT DISTINCT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_X_PARENTS AS x FORCE INDEX (IDX_QRTZ_X_P_J)
  ON x.SCHED_NAME = :schedName AND x.JOB_NAME = r.job_name AND x.JOB_GROUP = r.job_group
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE t.TRIGGER_TYPE = 'AFTER'
  AND t.TRIGGER_STATE IN ('WAITING', 'BLOCKED')
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME;

-- name: advanceAfterTriggers
-- How many ends of what an AFTER trigger waits for were counted (in STR_PROP_1), and how often it fired, over what was read.
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name    VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         from_ended      VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         to_ended        VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         times_triggered INTEGER PATH '$[4]')) AS r
STRAIGHT_JOIN QRTZ_SIMPROP_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
SET t.STR_PROP_1 = r.to_ended,
    t.INT_PROP_2 = r.times_triggered
WHERE t.STR_PROP_1 = r.from_ended;

-- name: insertParents
-- What AFTER triggers wait for.
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows inserted.
INSERT INTO QRTZ_X_PARENTS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER, JOB_NAME, JOB_GROUP)
SELECT :schedName, r.trigger_name, r.trigger_group, r.parent_number, r.job_name, r.job_group
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         parent_number INTEGER PATH '$[2]',
         job_name      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         job_group     VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]')) AS r;

-- name: deleteParents
-- Before their triggers go, or are stored anew.
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_PARENTS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;
