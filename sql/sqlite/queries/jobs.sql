-- name: selectJobs
-- The jobs of a set of keys. One row for each key, also when no job is stored under it.
-- Index: The primary key of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT r.position AS POSITION, j.JOB_NAME, j.JOB_GROUP, j.DESCRIPTION AS DETAIL_DESCRIPTION, j.JOB_CLASS_NAME, j.JOB_DATA AS DETAIL_DATA,
       j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY AS JOB_FLAGS
FROM r
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = r.sched_name AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group;

-- name: selectExecutingJobs
-- Which of the jobs execute. A locking read: a completion that runs beside this one, without the cluster-wide lock, either is
-- seen or waits and then sees what this transaction made of the job.
-- Index: IDX_QRTZ_FT_J_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT f.JOB_NAME, f.JOB_GROUP
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_J_G
WHERE f.SCHED_NAME = r.sched_name
  AND f.JOB_NAME = r.job_name
  AND f.JOB_GROUP = r.job_group
  AND f.STATE = 'EXECUTING';

-- name: countTriggersOfJobs
-- Whether a job is left without triggers.
-- Index: IDX_QRTZ_T_J, without reading a trigger.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP, COUNT(*) AS TRIGGERS
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
GROUP BY r.job_name, r.job_group;

-- name: insertJobs
-- jobData: hexadecimal.
-- Index: The primary key of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group,
         value ->> 2 AS job_type,
         value ->> 3 AS is_durable,
         value ->> 4 AS is_nonconcurrent,
         value ->> 5 AS is_update_data,
         value ->> 6 AS requests_recovery,
         value ->> '$[7][0]' AS description,
         value ->> '$[8][0]' AS job_data
  FROM json_each(:rows))
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT r.sched_name, r.job_name, r.job_group, r.description, r.job_type, r.is_durable, r.is_nonconcurrent,
       r.is_update_data, r.requests_recovery, unhex(r.job_data)
FROM r;

-- name: insertAlikeJobs
-- As insertJobs, for jobs that differ in their names alone.
-- jobData: hexadecimal.
-- Index: The primary key of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:rows))
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT r.sched_name, r.job_name, r.job_group, :description, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
       :requestsRecovery, unhex(:jobData)
FROM r;

-- name: updateJobs
-- A new definition under a stored key. jobData: hexadecimal.
-- Index: The primary key of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group,
         value ->> 2 AS job_type,
         value ->> 3 AS is_durable,
         value ->> 4 AS is_nonconcurrent,
         value ->> 5 AS is_update_data,
         value ->> 6 AS requests_recovery,
         value ->> '$[7][0]' AS description,
         value ->> '$[8][0]' AS job_data
  FROM json_each(:rows))
UPDATE QRTZ_JOB_DETAILS AS t
SET DESCRIPTION = r.description,
    JOB_CLASS_NAME = r.job_type,
    IS_DURABLE = r.is_durable,
    IS_NONCONCURRENT = r.is_nonconcurrent,
    IS_UPDATE_DATA = r.is_update_data,
    REQUESTS_RECOVERY = r.requests_recovery,
    JOB_DATA = unhex(r.job_data)
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group;

-- name: updateJobData
-- What an execution returned. jobData: hexadecimal.
-- Index: The primary key of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'jobData' AS job_data
  FROM json_each(:rows))
UPDATE QRTZ_JOB_DETAILS AS t
SET JOB_DATA = unhex(r.job_data)
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group;

-- name: deleteJobs
-- Their triggers must be gone.
-- Index: The primary key of QRTZ_JOB_DETAILS.
DELETE FROM QRTZ_JOB_DETAILS
WHERE SCHED_NAME = :schedName
  AND (JOB_NAME, JOB_GROUP) IN (SELECT value ->> 'jobName', value ->> 'jobGroup' FROM json_each(:rows));

-- name: deleteOrphanJobs
-- Non-durable jobs that are left without triggers. LEFT JOIN … IS NULL: NOT EXISTS was materialised, with a scan of all triggers.
-- Index: The primary key of QRTZ_JOB_DETAILS, IDX_QRTZ_T_J.
DELETE FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows))
  AND j.IS_DURABLE = '0'
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t
                  WHERE t.SCHED_NAME = j.SCHED_NAME
                    AND t.JOB_NAME = j.JOB_NAME
                    AND t.JOB_GROUP = j.JOB_GROUP);

-- name: selectJobsOfGroups
-- rows: the names of job groups. Deleting or pausing job groups is rare: no index of its own.
-- Index: The primary key of QRTZ_JOB_DETAILS, its first column.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND j.JOB_GROUP IN (SELECT value FROM json_each(:rows));
