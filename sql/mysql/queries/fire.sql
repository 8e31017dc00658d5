-- name: markExecuting
-- Turns reservations that are still this node's into firings. An insert that only meets rows that exist: see sql/README.md.
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows changed.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE)
SELECT t.SCHED_NAME, t.ENTRY_ID, '', '', '', 0, 0, 0, ''
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         entry_id          VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         scheduled_time    BIGINT PATH '$[1]',
         job_name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         job_group         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]',
         is_nonconcurrent  VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]',
         requests_recovery VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]')) AS r
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED'
FOR UPDATE /*!80000 OF t */
ON DUPLICATE KEY UPDATE
  STATE = 'EXECUTING',
  FIRED_TIME = :now,
  SCHED_TIME = r.scheduled_time,
  JOB_NAME = r.job_name,
  JOB_GROUP = r.job_group,
  IS_NONCONCURRENT = r.is_nonconcurrent,
  REQUESTS_RECOVERY = r.requests_recovery;

-- name: deleteReservations
-- What this node reserved and does not fire.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE t
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         entry_id VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.entryId')) AS r
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId
  AND t.STATE = 'ACQUIRED';

-- name: blockTriggers
-- The triggers of jobs that now execute and must not execute twice. As the transition `block` says.
-- Index: IDX_QRTZ_T_J. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
SET t.TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
WHERE t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED');

-- name: markFiringsNonConcurrent
-- What executes of jobs that have become non-concurrent: its completion, which holds no lock, must look at the job then.
-- Index: IDX_QRTZ_FT_J_G. Locks: the rows changed.
UPDATE JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_FT_J_G)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
SET t.IS_NONCONCURRENT = '1'
WHERE t.STATE = 'EXECUTING';

-- name: deleteReservationsOfJobs
-- Ends the reservations of blocked triggers: who holds one loses by its row count.
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G. Locks: the rows deleted.
DELETE f
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         job_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobName',
         job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.jobGroup')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
STRAIGHT_JOIN QRTZ_FIRED_TRIGGERS AS f FORCE INDEX (IDX_QRTZ_FT_T_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE f.STATE = 'ACQUIRED';
