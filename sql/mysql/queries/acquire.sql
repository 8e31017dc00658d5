-- Acquiring, firing and releasing. The due triggers are read by selectDueTriggers in whole-triggers.sql.

-- name: selectUnlockedTriggers
-- Those of the triggers whose rows no other session holds, locked from now on. Asked after a row was found locked: who waits for a
-- stranger holds the cluster-wide lock meanwhile.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows read.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerName',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerGroup')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
FOR UPDATE /*!80000 OF t */ SKIP LOCKED;

-- part: mayRunHere
-- Neither the priority of a trigger t nor its place w, if it has one, keeps this node from firing it now. Whether there are places at
-- all is asked once for all rows.
       COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v FORCE INDEX (PRIMARY) WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w FORCE INDEX (PRIMARY)
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (JSON_CONTAINS(:labels, w.RUNS_ON)
                                 AND (JSON_CONTAINS(:labels, w.PREFERS)
                                      OR t.NEXT_FIRE_TIME <= :now - LEAST(w.PATIENCE, :longestPatience)))))

-- name: selectDueKeys
-- As selectDueTriggers, no more than the keys: of what lies before :end nearly all is known to be unreadable here, and its data
-- is not worth reading. Asked once a second at most, and only where there is such. fullGroups: the names of the groups that
-- are full on this node.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS; that of QRTZ_X_PLACES, once its first column.
SELECT STRAIGHT_JOIN t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :end
  AND t.JOB_GROUP NOT IN (SELECT r.job_group
                          FROM JSON_TABLE(:fullGroups, '$[*]' COLUMNS (
                                 job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r)
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT r.job_type
                           FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
                                  job_type VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r)
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectWaitingPriorities
-- The distinct priorities of what waits and may be due, the highest first, among those that this node fires, at most :limit; and of each
-- the earliest fire time. That of triggers without a priority, which count as 5, is null. Asked only where the priority decides which
-- fires first. Grouped by all columns before the fire time, so that the server jumps from one priority to the next.
-- Index: IDX_QRTZ_X_T_P_NFT, jumping: two looks for each priority, however many triggers wait (100,000: 0.5 ms).
SELECT t.PRIORITY, MIN(t.NEXT_FIRE_TIME) AS FIRST_TIME
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_X_T_P_NFT)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME > -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
GROUP BY t.SCHED_NAME, t.TRIGGER_STATE, t.PRIORITY
HAVING COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
ORDER BY COALESCE(t.PRIORITY, 5) DESC
LIMIT :limit;

-- name: selectDueKeysOfPriority
-- As selectDueKeys, of one priority (null: of none), without the jobs of groups that are full on this node. Asked for a few priorities side by side, where the priority decides which fires first.
-- Index: IDX_QRTZ_X_T_P_NFT in its order, PRIMARY of QRTZ_JOB_DETAILS; that of QRTZ_X_PLACES, once its first column.
SELECT STRAIGHT_JOIN t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_X_T_P_NFT)
JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.PRIORITY <=> :priority
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND t.JOB_GROUP NOT IN (SELECT r.job_group
                          FROM JSON_TABLE(:fullGroups, '$[*]' COLUMNS (
                                 job_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r)
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT r.job_type
                           FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
                                  job_type VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r)
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: countWaitingTriggers
-- How many had to be passed over; asked once a second at most.
-- Index: IDX_QRTZ_T_NFT_ST, without reading a trigger (10,000: 2 ms).
SELECT COUNT(*) AS TRIGGERS
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :before;

-- part: nodeIsAlive
       (:epoch IS NULL
       OR EXISTS (SELECT 1
                  FROM QRTZ_SCHEDULER_STATE AS s
                  JOIN QRTZ_X_NODES AS n
                    ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
                  WHERE s.SCHED_NAME = :schedName
                    AND s.INSTANCE_NAME = :instanceId
                    AND n.EPOCH = :epoch))

-- name: insertReservations
-- Reserves triggers: the compare-and-set and the token in one. Fewer rows than asked for: somebody was faster. The job's columns
-- stay empty, as Java leaves them: a reservation is no execution.
-- epoch: the node's present life. A node that was recovered meanwhile inserts nothing: its peers would not know of it.
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'ACQUIRED', NULL, NULL, '0', '0'
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         entry_id       VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         next_fire_time BIGINT PATH '$[3]',
         priority       INTEGER PATH '$[4]')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive
FOR UPDATE /*!80000 OF t */;

-- name: insertFirings
-- Reserves and fires in one step what is due already. Fewer rows than asked for: somebody was faster.
-- epoch: as insertReservations.
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group     VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         entry_id          VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         next_fire_time    BIGINT PATH '$[3]',
         priority          INTEGER PATH '$[4]',
         is_nonconcurrent  VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
         requests_recovery VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive
FOR UPDATE /*!80000 OF t */;

-- name: insertImmediateFirings
-- Fires triggers that are stored in this very transaction, as their firing leaves them: nobody else can have fired them.
-- epoch: as insertReservations.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.scheduled_time, r.priority,
       'EXECUTING', r.job_name, r.job_group, r.is_nonconcurrent, r.requests_recovery
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group     VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         entry_id          VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]',
         scheduled_time    BIGINT PATH '$[3]',
         priority          INTEGER PATH '$[4]',
         is_nonconcurrent  VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]',
         requests_recovery VARCHAR(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]',
         job_name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]',
         job_group         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8]')) AS r
WHERE
-- include: nodeIsAlive;

-- name: markAcquired
-- Beside insertReservations, which has locked the triggers, with the same condition.
-- counts: twice
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
INSERT INTO QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, TRIGGER_STATE, TRIGGER_TYPE, START_TIME)
SELECT t.SCHED_NAME, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, '', '', 0
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         trigger_name   VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         trigger_group  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         next_fire_time BIGINT PATH '$[2]')) AS r
STRAIGHT_JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
FOR UPDATE /*!80000 OF t */
ON DUPLICATE KEY UPDATE
  TRIGGER_STATE = 'ACQUIRED';
