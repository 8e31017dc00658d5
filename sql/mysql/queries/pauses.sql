-- name: selectPauses
-- What was said of pauses.
-- Index: PRIMARY of QRTZ_X_PAUSES, its first column.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES FORCE INDEX (PRIMARY)
WHERE SCHED_NAME = :schedName;

-- name: selectElapsedPauses
-- Explained pauses whose time is over.
-- Index: IDX_QRTZ_X_PS_U.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES FORCE INDEX (IDX_QRTZ_X_PS_U)
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME <= :now;

-- name: selectNextPauseEnd
-- When the next pause ends by itself.
-- Index: IDX_QRTZ_X_PS_U, one entry.
SELECT UNTIL_TIME
FROM QRTZ_X_PAUSES FORCE INDEX (IDX_QRTZ_X_PS_U)
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME > :now
ORDER BY UNTIL_TIME
LIMIT 1;

-- name: selectPausePage
-- One page of them, behind a target (null: from the first one on).
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES FORCE INDEX (PRIMARY)
WHERE SCHED_NAME = :schedName
  AND (:afterTarget IS NULL OR TARGET > :afterTarget
       OR (TARGET = :afterTarget AND (TARGET_GROUP > :afterGroup OR (TARGET_GROUP = :afterGroup AND TARGET_NAME > :afterName))))
ORDER BY TARGET, TARGET_GROUP, TARGET_NAME
LIMIT :take;

-- name: selectPausesOfGroups
-- What was said of pauses of whole groups.
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES FORCE INDEX (PRIMARY)
WHERE SCHED_NAME = :schedName
  AND TARGET IN ('triggers', 'jobs');

-- name: selectPausesOfKeys
-- What was said of the pauses of the triggers and jobs named.
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT t.TARGET, t.TARGET_GROUP, t.TARGET_NAME, t.REASON, t.PAUSED_BY, t.SINCE_TIME, t.UNTIL_TIME, t.HOLDS_RETRIES
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         target       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         target_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         target_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_X_PAUSES AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group AND t.TARGET_NAME = r.target_name;

-- name: insertPauses
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows inserted.
INSERT INTO QRTZ_X_PAUSES
      (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES)
SELECT :schedName, r.target, r.target_group, r.target_name, r.reason, r.paused_by, r.since_time, r.until_time, r.holds_retries
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         target       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         target_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         target_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         reason       VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3][0]',
         paused_by    VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4][0]',
         since_time   BIGINT PATH '$[5]',
         until_time   BIGINT PATH '$[6][0]',
         holds_retries VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]')) AS r;

-- name: deletePauses
-- rows: targets, of which nothing need have been said.
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         target       VARCHAR(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         target_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         target_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_X_PAUSES AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group
     AND t.TARGET_NAME = r.target_name;

-- name: selectPausedJobs
-- Those of the jobs of which a trigger is paused.
-- For each job by itself, which MariaDB does with a single value; EXISTS would read all triggers first.
-- Index: IDX_QRTZ_T_J, up to the first paused trigger of each.
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
       job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
       job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
WHERE (
  SELECT 1 FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J)
  WHERE t.SCHED_NAME = :schedName
    AND t.JOB_NAME = r.job_name
    AND t.JOB_GROUP = r.job_group
    AND t.TRIGGER_STATE IN ('PAUSED', 'PAUSED_BLOCKED')
  LIMIT 1) IS NOT NULL;
