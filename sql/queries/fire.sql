-- name: markExecuting
-- Turns reservations that still belong to this node into firings. An insert that only finds existing rows: see sql/README.md.
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_FIRED_TRIGGERS AS t
SET STATE = 'EXECUTING',
    FIRED_TIME = :now,
    SCHED_TIME = r.scheduled_time,
    JOB_NAME = r.job_name,
    JOB_GROUP = r.job_group,
    IS_NONCONCURRENT = r.is_nonconcurrent,
    REQUESTS_RECOVERY = r.requests_recovery
FROM @list(:rows, entry_id text(95), scheduled_time int, job_name key, job_group key, is_nonconcurrent text(1),
           requests_recovery text(1)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED';
-- only: mysql
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE)
SELECT t.SCHED_NAME, t.ENTRY_ID, '', '', '', 0, 0, 0, ''
FROM @list(:rows, entry_id text(95), scheduled_time int, job_name key, job_group key, is_nonconcurrent text(1),
                  requests_recovery text(1)) AS r
@then QRTZ_FIRED_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED'
FOR UPDATE OF t
ON DUPLICATE KEY UPDATE
  STATE = 'EXECUTING',
  FIRED_TIME = :now,
  SCHED_TIME = r.scheduled_time,
  JOB_NAME = r.job_name,
  JOB_GROUP = r.job_group,
  IS_NONCONCURRENT = r.is_nonconcurrent,
  REQUESTS_RECOVERY = r.requests_recovery;

-- name: deleteReservations
-- Deletes reservations that this node does not fire.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @rows(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED';

-- name: blockTriggers
-- Blocks the triggers of non-concurrent jobs that are about to execute, as the transition `block` defines. Skips rows that another session has
-- locked, because a wait under TRIGGER_ACCESS would stop all firing. A skipped trigger is not fired while its job executes.
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
FROM @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED');
-- only: mysql
UPDATE /*+ NO_MERGE(k) */ (SELECT s.TRIGGER_NAME, s.TRIGGER_GROUP, s.TRIGGER_STATE
                           FROM @rows(:rows, job_name key, job_group key) AS r
                           @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                             ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                           WHERE s.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED')
                           FOR UPDATE OF s SKIP LOCKED) AS k
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP
SET t.TRIGGER_STATE = CASE k.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END;

-- name: markFiringsNonConcurrent
-- Marks firings of jobs that have become non-concurrent. Their completions, which hold no lock, must then check the job.
-- Index: IDX_QRTZ_FT_J_G. Locks: the rows changed.
UPDATE QRTZ_FIRED_TRIGGERS AS t @index(IDX_QRTZ_FT_J_G)
SET IS_NONCONCURRENT = '1'
FROM @rows(:rows, job_name key, job_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.STATE = 'EXECUTING';

-- name: deleteReservationsOfJobs
-- Deletes the reservations of blocked triggers. A node that holds one detects the loss by the row count of its next statement. Skips rows that
-- another session has locked, like blockTriggers. The node that holds such a reservation finds the job executing, and gives it back.
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G, PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT f.ENTRY_ID
                   FROM @rows(:rows, job_name key, job_group key) AS r
                   @then QRTZ_TRIGGERS AS t
                     ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
                   @then QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
                     ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
                   WHERE f.STATE = 'ACQUIRED');
-- only: mysql
DELETE /*+ NO_MERGE(k) */ t
FROM (SELECT f.ENTRY_ID
      FROM @rows(:rows, job_name key, job_group key) AS r
      @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
        ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
      @then QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
        ON f.SCHED_NAME = s.SCHED_NAME AND f.TRIGGER_NAME = s.TRIGGER_NAME AND f.TRIGGER_GROUP = s.TRIGGER_GROUP
      WHERE f.STATE = 'ACQUIRED'
      FOR UPDATE OF s, f SKIP LOCKED) AS k
@then QRTZ_FIRED_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = k.ENTRY_ID;