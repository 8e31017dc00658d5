-- name: selectJobs
-- The jobs of a set of keys. One row for each key, also when no job is stored under it.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT r.position - 1 AS POSITION, j.JOB_NAME, j.JOB_GROUP, j.DESCRIPTION AS DETAIL_DESCRIPTION, j.JOB_CLASS_NAME, j.JOB_DATA AS DETAIL_DATA,
       CONCAT_WS(',', j.IS_DURABLE, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.REQUESTS_RECOVERY) AS JOB_FLAGS
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         position FOR ORDINALITY,
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
LEFT JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group;

-- name: selectExecutingJobs
-- Which of the jobs execute. A locking read: a completion that runs beside this one, without the cluster-wide lock, either is
-- seen or waits and then sees what this transaction made of the job.
-- Index: IDX_QRTZ_FT_J_G. Locks: the fired rows read.
SELECT f.JOB_NAME, f.JOB_GROUP
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS f FORCE INDEX (IDX_QRTZ_FT_J_G)
  ON f.SCHED_NAME = :schedName AND f.JOB_NAME = r.job_name AND f.JOB_GROUP = r.job_group
WHERE f.STATE = 'EXECUTING'
FOR UPDATE /*!80000 OF f */;

-- name: countTriggersOfJobs
-- Whether a job is left without triggers.
-- Index: IDX_QRTZ_T_J, without reading a trigger.
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP, COUNT(*) AS TRIGGERS
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
GROUP BY r.job_name, r.job_group;

-- name: insertJobs
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT :schedName, r.job_name, r.job_group, r.description, r.job_type, r.is_durable, r.is_nonconcurrent,
       r.is_update_data, r.requests_recovery, UNHEX(r.job_data)
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         job_type          VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         is_durable        VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         is_nonconcurrent  VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
         is_update_data    VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
         requests_recovery VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]',
         description       VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7][0]',
         job_data          LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8][0]')) AS r;

-- name: insertAlikeJobs
-- As insertJobs, for jobs that differ in their names alone.
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT :schedName, r.job_name, r.job_group, :description, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
       :requestsRecovery, UNHEX(:jobData)
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r;

-- name: updateJobs
-- A new definition under a stored key. jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         job_type          VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         is_durable        VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         is_nonconcurrent  VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
         is_update_data    VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
         requests_recovery VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]',
         description       VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7][0]',
         job_data          LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8][0]')) AS r
STRAIGHT_JOIN QRTZ_JOB_DETAILS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
SET t.DESCRIPTION = r.description,
    t.JOB_CLASS_NAME = r.job_type,
    t.IS_DURABLE = r.is_durable,
    t.IS_NONCONCURRENT = r.is_nonconcurrent,
    t.IS_UPDATE_DATA = r.is_update_data,
    t.REQUESTS_RECOVERY = r.requests_recovery,
    t.JOB_DATA = UNHEX(r.job_data);

-- name: updateJobData
-- What an execution returned. jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup',
         job_data  LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobData')) AS r
STRAIGHT_JOIN QRTZ_JOB_DETAILS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
SET t.JOB_DATA = UNHEX(r.job_data);

-- name: deleteJobs
-- Their triggers must be gone.
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_JOB_DETAILS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: deleteOrphanJobs
-- Non-durable jobs that are left without triggers. LEFT JOIN … IS NULL: NOT EXISTS was materialised, with a scan of all triggers.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, IDX_QRTZ_T_J. Locks: the rows deleted.
DELETE j
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) AS r
STRAIGHT_JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J)
  ON t.SCHED_NAME = j.SCHED_NAME AND t.JOB_NAME = j.JOB_NAME AND t.JOB_GROUP = j.JOB_GROUP
WHERE j.IS_DURABLE = '0'
  AND t.SCHED_NAME IS NULL;

-- name: selectJobsOfGroups
-- rows: the names of job groups. Deleting or pausing job groups is rare: no index of its own.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND j.JOB_GROUP IN (SELECT r.job_group
                      FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
                             job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r);
