-- name: selectDeclared
-- rows: jobs, triggers and calendars, which need not be stored.
-- Index: PRIMARY of QRTZ_X_DECLARED.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM @list(:rows, subject text(8), subject_name key, subject_group key) AS r
@then QRTZ_X_DECLARED AS d @index(PRIMARY)
  ON d.SCHED_NAME = :schedName AND d.SUBJECT = r.subject AND d.SUBJECT_NAME = r.subject_name
     AND d.SUBJECT_GROUP = r.subject_group;

-- name: selectDeclaredOfJobs
-- Selects the declarations of jobs and of their triggers. rows: keys of jobs, which need not be stored.
-- Index: IDX_QRTZ_X_D_J.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM @list(:rows, job_name key, job_group key) AS r
@then QRTZ_X_DECLARED AS d @index(IDX_QRTZ_X_D_J)
  ON d.SCHED_NAME = :schedName AND d.JOB_NAME = r.job_name AND d.JOB_GROUP = r.job_group;

-- name: selectEveryDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: selectDeclaredSet
-- rows: names of sets.
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.DECLARED_SET
FROM QRTZ_X_DECLARED AS d
WHERE d.SCHED_NAME = :schedName
  AND d.DECLARED_SET IN (
    SELECT r.name FROM @values(:rows, name key) AS r);

-- name: selectEdited
-- Selects manually edited declarations in the order of the subjects, after :subject, :group and :name.
-- Index: IDX_QRTZ_X_D_E.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED @index(IDX_QRTZ_X_D_E)
WHERE SCHED_NAME = :schedName AND IS_EDITED = 1
  AND (SUBJECT, SUBJECT_GROUP, SUBJECT_NAME) > (:subject, :group, :name)
ORDER BY SUBJECT, SUBJECT_GROUP, SUBJECT_NAME
LIMIT :limit;

-- name: insertDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows inserted.
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, IS_EDITED, EDITS)
SELECT :schedName, r.subject, r.subject_name, r.subject_group, r.job_name, r.job_group, r.declared_set, r.definition, r.owner, r.is_edited, r.edits
FROM @rows(:rows, subject text(8), subject_name key, subject_group key, job_name key, job_group key,
                  declared_set key, definition text, owner text, is_edited int, edits text) AS r;

-- name: deleteDeclared
-- Deletes declarations, also before they are replaced. rows: jobs, triggers and calendars.
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows deleted.
DELETE FROM QRTZ_X_DECLARED AS t
USING @list(:rows, subject text(8), subject_name key, subject_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.SUBJECT = r.subject AND t.SUBJECT_NAME = r.subject_name
     AND t.SUBJECT_GROUP = r.subject_group;
