-- Acquiring, firing and releasing. The due triggers are read by selectDueTriggers in whole-triggers.sql.

-- name: selectUnlockedTriggers
-- Here nobody else holds rows while this node writes: all that are stored.
-- Index: The primary key of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group;

-- part: mayRunHere
-- Neither the priority of a trigger t nor its place w, if it has one, keeps this node from firing it now. Whether there are places at
-- all is asked once for all rows.
       COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND (EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                                     WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                             OR (EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                                         WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND t.NEXT_FIRE_TIME > :now - MIN(w.PATIENCE, :longestPatience)))))

-- name: selectDueKeys
-- As selectDueTriggers, no more than the keys: of what lies before :end nearly all is known to be unreadable here, and its data
-- is not worth reading. Asked once a second at most, and only where there is such. fullGroups: the names of the groups that
-- are full on this node.
-- Index: IDX_QRTZ_T_NFT_ST in its order, The primary key of QRTZ_JOB_DETAILS; that of QRTZ_X_PLACES, once its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :end
  AND t.JOB_GROUP NOT IN (SELECT value FROM json_each(:fullGroups))
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectWaitingPriorities
-- The distinct priorities of what waits and may be due, the highest first, among those that this node fires, at most :limit; and of each
-- the earliest fire time. The last row is of triggers without a priority, which count as 5. Asked only where the priority decides which
-- fires first.
-- Index: IDX_QRTZ_X_T_P_NFT, two looks for each priority, however many triggers wait.
WITH RECURSIVE p (priority, position) AS (
  SELECT (SELECT t.PRIORITY
          FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_X_T_P_NFT
          WHERE t.SCHED_NAME = :schedName
            AND t.TRIGGER_STATE = 'WAITING'
            AND t.PRIORITY BETWEEN :minPriority AND :maxPriority
          ORDER BY t.PRIORITY DESC
          LIMIT 1), 1
  UNION ALL
  SELECT (SELECT t.PRIORITY
          FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_X_T_P_NFT
          WHERE t.SCHED_NAME = :schedName
            AND t.TRIGGER_STATE = 'WAITING'
            AND t.PRIORITY >= :minPriority
            AND t.PRIORITY < p.priority
          ORDER BY t.PRIORITY DESC
          LIMIT 1), p.position + 1
  FROM p
  WHERE p.priority IS NOT NULL
    AND p.position < :limit + 0)
SELECT p.priority AS PRIORITY,
       (SELECT h.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS h INDEXED BY IDX_QRTZ_X_T_P_NFT
        WHERE h.SCHED_NAME = :schedName
          AND h.TRIGGER_STATE = 'WAITING'
          AND h.PRIORITY = p.priority
          AND h.NEXT_FIRE_TIME >= :from
          AND h.NEXT_FIRE_TIME <> -1
          AND h.NEXT_FIRE_TIME <= :noLaterThan
        ORDER BY h.NEXT_FIRE_TIME
        LIMIT 1) AS FIRST_TIME
FROM p
WHERE p.priority IS NOT NULL
UNION ALL
SELECT NULL,
       (SELECT h.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS h INDEXED BY IDX_QRTZ_X_T_P_NFT
        WHERE h.SCHED_NAME = :schedName
          AND h.TRIGGER_STATE = 'WAITING'
          AND h.PRIORITY IS NULL
          AND h.NEXT_FIRE_TIME >= :from
          AND h.NEXT_FIRE_TIME <> -1
          AND h.NEXT_FIRE_TIME <= :noLaterThan
        ORDER BY h.NEXT_FIRE_TIME
        LIMIT 1)
WHERE 5 BETWEEN :minPriority AND :maxPriority;

-- name: selectDueKeysOfPriority
-- As selectDueKeys, of one priority (null: of none), without the jobs of groups that are full on this node. Asked for a few priorities side by side, where the priority decides which fires first.
-- Index: IDX_QRTZ_X_T_P_NFT in its order, The primary key of QRTZ_JOB_DETAILS; that of QRTZ_X_PLACES, once its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_X_T_P_NFT
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.PRIORITY IS :priority
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND t.JOB_GROUP NOT IN (SELECT value FROM json_each(:fullGroups))
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: countWaitingTriggers
-- How many had to be passed over; asked once a second at most.
-- Index: IDX_QRTZ_T_NFT_ST, without reading a trigger (10,000: 2 ms).
SELECT COUNT(*) AS TRIGGERS
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
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
-- Index: The primary key of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS next_fire_time,
         value ->> 4 AS priority
  FROM json_each(:rows))
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT r.sched_name, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'ACQUIRED', NULL, NULL, '0', '0'
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive;

-- name: insertFirings
-- Reserves and fires in one step what is due already. Fewer rows than asked for: somebody was faster.
-- epoch: as insertReservations.
-- Index: The primary key of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS next_fire_time,
         value ->> 4 AS priority,
         value ->> 5 AS is_nonconcurrent,
         value ->> 6 AS requests_recovery
  FROM json_each(:rows))
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT r.sched_name, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive;

-- name: insertImmediateFirings
-- Fires triggers that are stored in this very transaction, as their firing leaves them: nobody else can have fired them.
-- epoch: as insertReservations.
-- Index: The primary key of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, value ->> 2, value ->> 0, value ->> 1, :instanceId, :now, value ->> 3, value ->> 4, 'EXECUTING',
       value ->> 7, value ->> 8, value ->> 5, value ->> 6
FROM json_each(:rows)
WHERE
-- include: nodeIsAlive;

-- name: markAcquired
-- Beside insertReservations, with the same condition.
-- Index: The primary key of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS next_fire_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'ACQUIRED'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time;
