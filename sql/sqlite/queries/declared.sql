-- name: selectDeclared
-- rows: jobs, triggers and calendars, which need not be stored.
-- Index: The primary key of QRTZ_X_DECLARED.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM json_each(:rows)
CROSS JOIN QRTZ_X_DECLARED AS d
  ON d.SCHED_NAME = :schedName AND d.SUBJECT = json_each.value ->> 0 AND d.SUBJECT_NAME = json_each.value ->> 1
     AND d.SUBJECT_GROUP = json_each.value ->> 2;

-- name: selectDeclaredOfJobs
-- rows: keys of jobs, which need not be stored. Finds them and their triggers.
-- Index: IDX_QRTZ_X_D_J.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM json_each(:rows)
CROSS JOIN QRTZ_X_DECLARED AS d INDEXED BY IDX_QRTZ_X_D_J
  ON d.SCHED_NAME = :schedName AND d.JOB_NAME = json_each.value ->> 0 AND d.JOB_GROUP = json_each.value ->> 1;

-- name: selectEveryDeclared
-- Index: The primary key of QRTZ_X_DECLARED, its first column.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: selectDeclaredSet
-- rows: names of sets.
-- Index: The primary key of QRTZ_X_DECLARED, its first column.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.DECLARED_SET
FROM QRTZ_X_DECLARED AS d
WHERE d.SCHED_NAME = :schedName
  AND d.DECLARED_SET IN (SELECT value FROM json_each(:rows));

-- name: selectEdited
-- What was edited by hand, in the order of the subjects, behind :subject, :group and :name.
-- Index: IDX_QRTZ_X_D_E.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED INDEXED BY IDX_QRTZ_X_D_E
WHERE SCHED_NAME = :schedName AND IS_EDITED = 1
  AND (SUBJECT, SUBJECT_GROUP, SUBJECT_NAME) > (:subject, :group, :name)
ORDER BY SUBJECT, SUBJECT_GROUP, SUBJECT_NAME
LIMIT :limit + 0;

-- name: insertDeclared
-- Index: The primary key of QRTZ_X_DECLARED.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'subject' AS subject,
         value ->> 'name' AS subject_name,
         value ->> 'group' AS subject_group,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'set' AS declared_set,
         value ->> 'definition' AS definition,
         value ->> 'owner' AS owner,
         value ->> 'isEdited' AS is_edited,
         value ->> 'edits' AS edits
  FROM json_each(:rows))
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, IS_EDITED, EDITS)
SELECT r.sched_name, r.subject, r.subject_name, r.subject_group, r.job_name, r.job_group, r.declared_set, r.definition, r.owner, r.is_edited, r.edits
FROM r;

-- name: deleteDeclared
-- rows: jobs, triggers and calendars. Also before another declaration takes the place of one.
-- Index: The primary key of QRTZ_X_DECLARED.
DELETE FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName
  AND (SUBJECT, SUBJECT_NAME, SUBJECT_GROUP) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows));
