-- name: selectPauses
-- Selects the explanations of all pauses.
-- Index: PRIMARY of QRTZ_X_PAUSES, its first column.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES @index(PRIMARY)
WHERE SCHED_NAME = :schedName;

-- name: selectElapsedPauses
-- Selects pauses whose end time has passed.
-- Index: IDX_QRTZ_X_PS_U.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES @index(IDX_QRTZ_X_PS_U)
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME <= :now;

-- name: selectNextPauseEnd
-- Selects the time at which the next pause ends automatically.
-- Index: IDX_QRTZ_X_PS_U, one entry.
SELECT UNTIL_TIME
FROM QRTZ_X_PAUSES @index(IDX_QRTZ_X_PS_U)
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME > :now
ORDER BY UNTIL_TIME
LIMIT 1;

-- name: selectPausePage
-- Selects a page of the pauses with an explanation, after a target (null: from the first one on).
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES @index(PRIMARY)
WHERE SCHED_NAME = :schedName
  AND (TARGET, TARGET_GROUP, TARGET_NAME) > (:afterTarget, :afterGroup, :afterName)
ORDER BY TARGET, TARGET_GROUP, TARGET_NAME
LIMIT :take;

-- name: selectPausesOfGroups
-- Selects the explanations of pauses of whole groups.
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES @index(PRIMARY)
WHERE SCHED_NAME = :schedName
  AND TARGET IN ('triggers', 'jobs');

-- name: selectPausesOfKeys
-- Selects the explanations of the pauses of these triggers and jobs.
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT t.TARGET, t.TARGET_GROUP, t.TARGET_NAME, t.REASON, t.PAUSED_BY, t.SINCE_TIME, t.UNTIL_TIME, t.HOLDS_RETRIES
FROM @list(:rows, target text(8), target_group key, target_name key) AS r
@then QRTZ_X_PAUSES AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group AND t.TARGET_NAME = r.target_name;

-- name: insertPauses
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows inserted.
INSERT INTO QRTZ_X_PAUSES
      (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES)
SELECT :schedName, r.target, r.target_group, r.target_name, r.reason, r.paused_by, r.since_time, r.until_time, r.holds_retries
FROM @list(:rows, target text(8), target_group key, target_name key, reason text(1000) null, paused_by key null, since_time int,
                  until_time int null, holds_retries text(1)) AS r;

-- name: deletePauses
-- Deletes explanations. rows: targets, which need not have one.
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows deleted.
DELETE FROM QRTZ_X_PAUSES AS t
USING @list(:rows, target text(8), target_group key, target_name key) AS r
  ON t.SCHED_NAME = :schedName AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group
     AND t.TARGET_NAME = r.target_name;

-- name: selectPausedJobs
-- Selects the jobs of a set that have a paused trigger. The scalar subquery makes MariaDB examine each job separately. With EXISTS, it would
-- read all triggers first.
-- Index: IDX_QRTZ_T_J, up to the first paused trigger of each.
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP
FROM @rows(:rows, job_name key, job_group key) AS r
WHERE (
  SELECT 1 FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  WHERE t.SCHED_NAME = :schedName
    AND t.JOB_NAME = r.job_name
    AND t.JOB_GROUP = r.job_group
    AND t.TRIGGER_STATE IN ('PAUSED', 'PAUSED_BLOCKED')
  LIMIT 1) IS NOT NULL;
