-- name: selectJobs
-- Selects jobs by key. Returns one row per key, even if no job is stored under it.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT r.position AS POSITION, j.JOB_NAME, j.JOB_GROUP, j.DESCRIPTION AS DETAIL_DESCRIPTION, j.JOB_CLASS_NAME, j.JOB_DATA AS DETAIL_DATA,
       CONCAT_WS(',', j.IS_DURABLE, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.REQUESTS_RECOVERY) AS JOB_FLAGS
FROM @rows(:rows, position place, job_name key, job_group key) AS r
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group;

-- name: selectUnlockedJobs
-- Locks and returns the jobs whose rows no other session has locked, with their data. A transaction that adds a trigger locks the row of its job as a
-- parent; a wait for its end under TRIGGER_ACCESS would stop all firing.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows read.
SELECT j.JOB_NAME, j.JOB_GROUP, j.JOB_DATA AS DETAIL_DATA
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
FOR UPDATE OF j SKIP LOCKED;

-- name: selectAnyOtherThan
-- Finds out whether any of these jobs is not stored exactly as it was read. Texts are compared as hexadecimal digits, because the columns may have
-- any character set and collation. For a script, so the answer has one column and at most one row.
-- as_read: the flags, type, description and data in hexadecimal digits.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT 1 AS FOUND
FROM @list(:rows, job_name key, job_group key, as_read text) AS r
WHERE NOT EXISTS (SELECT 1
                  FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
                  WHERE j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
                    AND CONCAT_WS(',', HEX(CONCAT_WS(',', j.IS_DURABLE, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.REQUESTS_RECOVERY)),
                                  HEX(j.JOB_CLASS_NAME),
                                  CASE WHEN j.DESCRIPTION IS NULL THEN 'NULL' ELSE HEX(j.DESCRIPTION) END,
                                  CASE WHEN j.JOB_DATA IS NULL THEN 'NULL' ELSE HEX(j.JOB_DATA) END) = r.as_read)
LIMIT 1;

-- name: selectExecutingJobs
-- Selects the jobs of a set that are executing. Locking read, because completions do not hold the cluster-wide lock: a concurrent completion
-- is either seen here, or waits and then sees this transaction's changes of the job.
-- Index: IDX_QRTZ_FT_J_G. Locks: the fired rows read.
SELECT f.JOB_NAME, f.JOB_GROUP
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_J_G)
  ON f.SCHED_NAME = :schedName AND f.JOB_NAME = r.job_name AND f.JOB_GROUP = r.job_group
WHERE f.STATE = 'EXECUTING'
FOR UPDATE OF f;

-- name: countTriggersOfJobs
-- Counts the triggers of jobs.
-- Index: IDX_QRTZ_T_J, without reading a trigger.
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP, COUNT(*) AS TRIGGERS
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
GROUP BY r.job_name, r.job_group;

-- name: insertJobs
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT :schedName, r.job_name, r.job_group, r.description, r.job_type, r.is_durable, r.is_nonconcurrent,
       r.is_update_data, r.requests_recovery, DECODE(r.job_data, 'hex')
FROM @list(:rows, job_name key, job_group key, job_type text(250), is_durable text(1), is_nonconcurrent text(1),
                  is_update_data text(1), requests_recovery text(1), description text(250) null, job_data text null) AS r;

-- name: insertJob
-- Like insertJobs, for one job. The server needs no temporary table for it. Columns in the order of the lists of insertJobs.
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the row inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, DESCRIPTION, JOB_DATA)
VALUES (:schedName, :jobName, :jobGroup, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
        :requestsRecovery, :description, DECODE(:jobData, 'hex'));

-- name: insertAlikeJobs
-- Like insertJobs, for jobs that differ only in their names.
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT :schedName, r.job_name, r.job_group, :description, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
       :requestsRecovery, DECODE(:jobData, 'hex')
FROM @list(:rows, job_name key, job_group key) AS r;

-- name: updateJobs
-- Replaces the definition under a stored key. jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
UPDATE QRTZ_JOB_DETAILS AS t
SET DESCRIPTION = r.description,
    JOB_CLASS_NAME = r.job_type,
    IS_DURABLE = r.is_durable,
    IS_NONCONCURRENT = r.is_nonconcurrent,
    IS_UPDATE_DATA = r.is_update_data,
    REQUESTS_RECOVERY = r.requests_recovery,
    JOB_DATA = DECODE(r.job_data, 'hex')
FROM @list(:rows, job_name key, job_group key, job_type text(250), is_durable text(1), is_nonconcurrent text(1),
                  is_update_data text(1), requests_recovery text(1), description text(250) null, job_data text null) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: updateJobData
-- Stores the data that an execution returned. jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
UPDATE QRTZ_JOB_DETAILS AS t
SET JOB_DATA = DECODE(r.job_data, 'hex')
FROM @rows(:rows, job_name key, job_group key, job_data text) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: deleteJobs
-- Deletes jobs. Their triggers must be deleted first.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows deleted.
DELETE FROM QRTZ_JOB_DETAILS AS t
USING @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: deleteOrphanJobs
-- Deletes non-durable jobs without triggers. Uses LEFT JOIN … IS NULL, because for NOT EXISTS the server scanned all triggers.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, IDX_QRTZ_T_J. Locks: the rows deleted.
DELETE FROM QRTZ_JOB_DETAILS AS j
USING @list(:rows, job_name key, job_group key) AS r
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
WHERE j.IS_DURABLE = '0'
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t
                  WHERE t.SCHED_NAME = j.SCHED_NAME
                    AND t.JOB_NAME = j.JOB_NAME
                    AND t.JOB_GROUP = j.JOB_GROUP);
-- only: mysql
DELETE FROM QRTZ_JOB_DETAILS AS j
USING @list(:rows, job_name key, job_group key) AS r
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = j.SCHED_NAME AND t.JOB_NAME = j.JOB_NAME AND t.JOB_GROUP = j.JOB_GROUP
WHERE j.IS_DURABLE = '0'
  AND t.SCHED_NAME IS NULL;

-- name: selectJobsOfGroups
-- rows: names of job groups. Has no index of its own, because deleting or pausing job groups is rare.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND j.JOB_GROUP IN @values(:rows, job_group key);
