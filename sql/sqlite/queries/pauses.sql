-- name: selectPauses
-- What was said of pauses.
-- Index: The primary key of QRTZ_X_PAUSES, its first column.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName;

-- name: selectElapsedPauses
-- Explained pauses whose time is over.
-- Index: IDX_QRTZ_X_PS_U.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES INDEXED BY IDX_QRTZ_X_PS_U
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME <= :now;

-- name: selectNextPauseEnd
-- When the next pause ends by itself.
-- Index: IDX_QRTZ_X_PS_U, one entry.
SELECT UNTIL_TIME
FROM QRTZ_X_PAUSES INDEXED BY IDX_QRTZ_X_PS_U
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME > :now
ORDER BY UNTIL_TIME
LIMIT 1;

-- name: selectPausePage
-- One page of them, behind a target (null: from the first one on).
-- Index: The primary key of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName
  AND (TARGET, TARGET_GROUP, TARGET_NAME) > (COALESCE(:afterTarget, ''), COALESCE(:afterGroup, ''), COALESCE(:afterName, ''))
ORDER BY TARGET, TARGET_GROUP, TARGET_NAME
LIMIT :take + 0;

-- name: selectPausesOfGroups
-- What was said of pauses of whole groups.
-- Index: The primary key of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName
  AND TARGET IN ('triggers', 'jobs');

-- name: selectPausesOfKeys
-- What was said of the pauses of the triggers and jobs named.
-- Index: The primary key of QRTZ_X_PAUSES.
SELECT t.TARGET, t.TARGET_GROUP, t.TARGET_NAME, t.REASON, t.PAUSED_BY, t.SINCE_TIME, t.UNTIL_TIME, t.HOLDS_RETRIES
FROM (SELECT value ->> 0 AS target, value ->> 1 AS target_group, value ->> 2 AS target_name FROM json_each(:rows)) AS r
CROSS JOIN QRTZ_X_PAUSES AS t
  ON t.SCHED_NAME = :schedName AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group AND t.TARGET_NAME = r.target_name;

-- name: insertPauses
-- Index: The primary key of QRTZ_X_PAUSES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS target,
         value ->> 1 AS target_group,
         value ->> 2 AS target_name,
         value ->> '$[3][0]' AS reason,
         value ->> '$[4][0]' AS paused_by,
         value ->> 5 AS since_time,
         value ->> '$[6][0]' AS until_time,
         value ->> 7 AS holds_retries
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PAUSES
      (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES)
SELECT r.sched_name, r.target, r.target_group, r.target_name, r.reason, r.paused_by, r.since_time, r.until_time, r.holds_retries
FROM r;

-- name: deletePauses
-- rows: targets, of which nothing need have been said.
-- Index: The primary key of QRTZ_X_PAUSES.
DELETE FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName
  AND (TARGET, TARGET_GROUP, TARGET_NAME) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows));

-- name: selectPausedJobs
-- Those of the jobs of which a trigger is paused.
-- Index: IDX_QRTZ_T_J, up to the first paused trigger of each.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP
FROM r
WHERE (
  SELECT 1 FROM QRTZ_TRIGGERS AS t
  WHERE t.SCHED_NAME = r.sched_name
    AND t.JOB_NAME = r.job_name
    AND t.JOB_GROUP = r.job_group
    AND t.TRIGGER_STATE IN ('PAUSED', 'PAUSED_BLOCKED')
  LIMIT 1) IS NOT NULL;
