-- name: selectDeclared
-- rows: jobs, triggers and calendars, which need not be stored.
-- Index: PRIMARY of QRTZ_X_DECLARED.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         subject       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         subject_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         subject_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS d FORCE INDEX (PRIMARY)
  ON d.SCHED_NAME = :schedName AND d.SUBJECT = r.subject AND d.SUBJECT_NAME = r.subject_name
     AND d.SUBJECT_GROUP = r.subject_group;

-- name: selectDeclaredOfJobs
-- rows: keys of jobs, which need not be stored. Finds them and their triggers.
-- Index: IDX_QRTZ_X_D_J.
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS d FORCE INDEX (IDX_QRTZ_X_D_J)
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
    SELECT r.name FROM JSON_TABLE(:rows, '$[*]' COLUMNS (name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r);

-- name: selectEdited
-- What was edited by hand, in the order of the subjects, behind :subject, :group and :name.
-- Index: IDX_QRTZ_X_D_E.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED FORCE INDEX (IDX_QRTZ_X_D_E)
WHERE SCHED_NAME = :schedName AND IS_EDITED = 1
  AND (SUBJECT > :subject
    OR SUBJECT = :subject AND SUBJECT_GROUP > :group
    OR SUBJECT = :subject AND SUBJECT_GROUP = :group AND SUBJECT_NAME > :name)
ORDER BY SUBJECT, SUBJECT_GROUP, SUBJECT_NAME
LIMIT :limit;

-- name: insertDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows inserted.
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, IS_EDITED, EDITS)
SELECT :schedName, r.subject, r.subject_name, r.subject_group, r.job_name, r.job_group, r.declared_set, r.definition, r.owner, r.is_edited, r.edits
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         subject       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.subject',
         subject_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.name',
         subject_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.group',
         job_name      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group     VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup',
         declared_set  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.set',
         definition    TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.definition',
         owner         TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.owner',
         is_edited     INT PATH '$.isEdited',
         edits         LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.edits')) AS r;

-- name: deleteDeclared
-- rows: jobs, triggers and calendars. Also before another declaration takes the place of one.
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         subject       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         subject_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         subject_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_X_DECLARED AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.SUBJECT = r.subject AND t.SUBJECT_NAME = r.subject_name
     AND t.SUBJECT_GROUP = r.subject_group;
