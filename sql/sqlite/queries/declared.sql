-- name: selectDeclared
-- rows: keys of triggers, which need not be stored.
-- Index: The primary key of QRTZ_X_DECLARED.
SELECT d.TRIGGER_NAME, d.TRIGGER_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION
FROM json_each(:rows)
CROSS JOIN QRTZ_X_DECLARED AS d
  ON d.SCHED_NAME = :schedName AND d.TRIGGER_NAME = json_each.value ->> 0 AND d.TRIGGER_GROUP = json_each.value ->> 1;

-- name: selectDeclaredOfJobs
-- rows: keys of jobs, which need not be stored.
-- Index: IDX_QRTZ_X_D_J.
SELECT d.TRIGGER_NAME, d.TRIGGER_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION
FROM json_each(:rows)
CROSS JOIN QRTZ_X_DECLARED AS d INDEXED BY IDX_QRTZ_X_D_J
  ON d.SCHED_NAME = :schedName AND d.JOB_NAME = json_each.value ->> 0 AND d.JOB_GROUP = json_each.value ->> 1;

-- name: selectEveryDeclared
-- Index: The primary key of QRTZ_X_DECLARED, its first column.
SELECT TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION
FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: insertDeclared
-- Index: The primary key of QRTZ_X_DECLARED.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'set' AS declared_set,
         value ->> 'definition' AS definition
  FROM json_each(:rows))
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION)
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.declared_set, r.definition
FROM r;

-- name: deleteDeclared
-- rows: keys of triggers. Also before another declaration takes the place of one.
-- Index: The primary key of QRTZ_X_DECLARED.
DELETE FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));
