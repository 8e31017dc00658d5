-- name: selectDeclared
-- rows: keys of triggers, which need not be stored.
-- Index: PRIMARY of QRTZ_X_DECLARED.
SELECT d.TRIGGER_NAME, d.TRIGGER_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS d FORCE INDEX (PRIMARY)
  ON d.SCHED_NAME = :schedName AND d.TRIGGER_NAME = r.trigger_name AND d.TRIGGER_GROUP = r.trigger_group;

-- name: selectDeclaredOfJobs
-- rows: keys of jobs, which need not be stored.
-- Index: IDX_QRTZ_X_D_J.
SELECT d.TRIGGER_NAME, d.TRIGGER_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS d FORCE INDEX (IDX_QRTZ_X_D_J)
  ON d.SCHED_NAME = :schedName AND d.JOB_NAME = r.job_name AND d.JOB_GROUP = r.job_group;

-- name: selectEveryDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column.
SELECT TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION
FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: insertDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows inserted.
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION)
SELECT :schedName, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.declared_set, r.definition
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerName',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerGroup',
         job_name      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group     VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup',
         declared_set  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.set',
         definition    TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.definition')) AS r;

-- name: deleteDeclared
-- rows: keys of triggers. Also before another declaration takes the place of one.
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;
