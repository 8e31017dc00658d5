-- Acquires, fires and releases triggers.

-- name: selectDueTriggers
-- Selects triggers that this node may acquire, by fire time, with all data needed to fire them. Leaves out misfired triggers unless they
-- ignore misfires, because the misfire handler recovers them. Leaves out jobs of types that this node has not registered, and triggers
-- that its labels or priorities exclude.
-- Equal times come in the order of the index: descending priority, then key. On tables with Quartz's own index, which ends in
-- NEXT_FIRE_TIME, the rows read are sorted afterwards. ORDER BY with the priority would sort all due triggers (10,000: 44 ms).
-- rows: names of the registered job types. labels: labels of this node.
-- from: earliest known fire time of acquirable triggers. It avoids a scan of a backlog that cannot run here (10,000: 11 ms).
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES and QRTZ_X_MISFIRED.
SELECT
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectDueTriggersOfOtherGroups
-- Like selectDueTriggers, without the jobs of groups that are full on this node. fullGroups: names of these groups.
-- from: also skips a range whose triggers are known to belong only to these groups.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES and QRTZ_X_MISFIRED.
SELECT
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND t.JOB_GROUP NOT IN @values(:fullGroups, job_group key)
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectUnlockedTriggers
-- Locks and returns the triggers whose rows no other session has locked. Sent after a row was found locked: a wait for another program's
-- lock would also hold the cluster-wide lock.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows read.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM @rows(:rows, trigger_name key, trigger_group key) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
FOR UPDATE OF t SKIP LOCKED;

-- part: mayRunHere
-- True if this node accepts the priority of trigger t and, if t has a place w, its labels. The statement checks once for all rows whether any
-- place exists.
       COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v @index(PRIMARY) WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w @index(PRIMARY)
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
-- include: hasLabels
                                 AND (
-- include: hasPreferred
                                      OR t.NEXT_FIRE_TIME <= :now - LEAST(w.FALLBACK_AFTER, :maxFallbackAfter)))))

-- part: hasLabels
-- True if this node has every label that place w requires.
-- only: sqlite
       NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
-- only: mysql
       JSON_CONTAINS(:labels, w.RUNS_ON)

-- part: hasPreferred
-- True if this node has every label that place w prefers.
-- only: sqlite
       NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
-- only: mysql
       JSON_CONTAINS(:labels, w.PREFERS)

-- name: selectDueKeys
-- Like selectDueTriggers, but returns only the keys, so that the data of triggers known to be unreadable here is not read again. Sent only
-- if there are such triggers and no range to skip is known.
-- end: first time that is not due. fullGroups: names of the groups that are full on this node.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :end
  AND t.JOB_GROUP NOT IN @values(:fullGroups, job_group key)
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectWaitingPriorities
-- Selects the distinct priorities of waiting triggers that may be due and that this node fires. Returns at most :limit priorities, the
-- highest first, each with its earliest fire time, and with the earliest first due time of its misfired triggers (null: none). Null stands for triggers without a priority, which count as 5. Sent only if the priority
-- decides which trigger fires first.
-- The statement groups by all columns before the fire time, so that the server jumps from one priority to the next.
-- Index: IDX_QRTZ_X_T_P_NFT, jumping: two lookups per priority, however many triggers wait (100,000: 0.5 ms); IDX_QRTZ_X_MI_P, jumping too.
WITH RECURSIVE p (priority, position) AS (
  SELECT (SELECT t.PRIORITY
          FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_X_T_P_NFT)
          WHERE t.SCHED_NAME = :schedName
            AND t.TRIGGER_STATE = 'WAITING'
            AND t.PRIORITY BETWEEN :minPriority AND :maxPriority
          ORDER BY t.PRIORITY DESC
          LIMIT 1), 1
  UNION ALL
  SELECT (SELECT t.PRIORITY
          FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_X_T_P_NFT)
          WHERE t.SCHED_NAME = :schedName
            AND t.TRIGGER_STATE = 'WAITING'
            AND t.PRIORITY >= :minPriority
            AND t.PRIORITY < p.priority
          ORDER BY t.PRIORITY DESC
          LIMIT 1), p.position + 1
  FROM p
  WHERE p.priority IS NOT NULL
    AND p.position < :limit)
SELECT p.priority AS PRIORITY,
       (SELECT h.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS h @index(IDX_QRTZ_X_T_P_NFT)
        WHERE h.SCHED_NAME = :schedName
          AND h.TRIGGER_STATE = 'WAITING'
          AND h.PRIORITY = p.priority
          AND h.NEXT_FIRE_TIME >= :from
          AND h.NEXT_FIRE_TIME <> -1
          AND h.NEXT_FIRE_TIME <= :noLaterThan
        ORDER BY h.NEXT_FIRE_TIME
        LIMIT 1) AS FIRST_TIME,
       (SELECT m.FIRST_DUE_TIME
        FROM QRTZ_X_MISFIRED AS m @index(IDX_QRTZ_X_MI_P)
        WHERE m.SCHED_NAME = :schedName
          AND m.PRIORITY = p.priority
        ORDER BY m.FIRST_DUE_TIME
        LIMIT 1) AS FIRST_DUE_TIME
FROM p
WHERE p.priority IS NOT NULL
UNION ALL
SELECT NULL,
       (SELECT h.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS h @index(IDX_QRTZ_X_T_P_NFT)
        WHERE h.SCHED_NAME = :schedName
          AND h.TRIGGER_STATE = 'WAITING'
          AND h.PRIORITY IS NULL
          AND h.NEXT_FIRE_TIME >= :from
          AND h.NEXT_FIRE_TIME <> -1
          AND h.NEXT_FIRE_TIME <= :noLaterThan
        ORDER BY h.NEXT_FIRE_TIME
        LIMIT 1),
       (SELECT m.FIRST_DUE_TIME
        FROM QRTZ_X_MISFIRED AS m @index(IDX_QRTZ_X_MI_P)
        WHERE m.SCHED_NAME = :schedName
          AND m.PRIORITY = 5
        ORDER BY m.FIRST_DUE_TIME
        LIMIT 1)
WHERE 5 BETWEEN :minPriority AND :maxPriority;
-- only: mysql
SELECT p.PRIORITY, p.FIRST_TIME, d.FIRST_DUE_TIME
FROM (SELECT t.PRIORITY, MIN(t.NEXT_FIRE_TIME) AS FIRST_TIME
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_X_T_P_NFT)
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = 'WAITING'
        AND t.NEXT_FIRE_TIME >= :from
        AND t.NEXT_FIRE_TIME > -1
        AND t.NEXT_FIRE_TIME <= :noLaterThan
      GROUP BY t.SCHED_NAME, t.TRIGGER_STATE, t.PRIORITY
      HAVING COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
      ORDER BY COALESCE(t.PRIORITY, 5) DESC
      LIMIT :limit) AS p
LEFT JOIN (SELECT m.PRIORITY, MIN(m.FIRST_DUE_TIME) AS FIRST_DUE_TIME
           FROM QRTZ_X_MISFIRED AS m @index(IDX_QRTZ_X_MI_P)
           WHERE m.SCHED_NAME = :schedName
           GROUP BY m.SCHED_NAME, m.PRIORITY) AS d
  ON d.PRIORITY = COALESCE(p.PRIORITY, 5);

-- name: selectMisfiredKeysOfPriority
-- Like selectDueKeysOfPriority, for the due triggers whose fire times misfires have moved, the one that has waited longest first. Sent only for
-- priorities that have such triggers.
-- Index: IDX_QRTZ_X_MI_P in its order, which skips triggers that are not due (10,000: 6 to 11 ms); PRIMARY of QRTZ_TRIGGERS, QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, m.FIRST_DUE_TIME
FROM QRTZ_X_MISFIRED AS m @index(IDX_QRTZ_X_MI_P)
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = m.SCHED_NAME AND t.TRIGGER_NAME = m.TRIGGER_NAME AND t.TRIGGER_GROUP = m.TRIGGER_GROUP
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE m.SCHED_NAME = :schedName
  AND m.PRIORITY = :priority
  AND m.NEXT_FIRE_TIME >= :misfireTime
  AND m.NEXT_FIRE_TIME <= :dueBy
  AND t.NEXT_FIRE_TIME = m.NEXT_FIRE_TIME
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.JOB_GROUP NOT IN @values(:fullGroups, job_group key)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY m.FIRST_DUE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectDueKeysOfPriority
-- Like selectDueKeys, for one priority (null: triggers without one), without the jobs of groups that are full on this node. Sent for
-- several priorities in parallel, if the priority decides which trigger fires first.
-- Index: IDX_QRTZ_X_T_P_NFT in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_X_T_P_NFT)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.PRIORITY IS NOT DISTINCT FROM :priority
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND t.JOB_GROUP NOT IN @values(:fullGroups, job_group key)
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: countWaitingTriggers
-- Counts the triggers before a time that a scan could not acquire, at most :limit. Sent once a second at most while there are fewer.
-- Index: IDX_QRTZ_T_NFT_ST, without reading a trigger.
SELECT COUNT(*) AS TRIGGERS
FROM (SELECT 1
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = 'WAITING'
        AND t.NEXT_FIRE_TIME <> -1
        AND t.NEXT_FIRE_TIME < :before
      LIMIT :limit) AS w;

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
-- Reserves triggers, with a compare-and-set on the trigger and the token in one statement. Fewer rows than requested: another node was
-- faster. The job's columns stay empty, as in Java, because a reservation is not an execution.
-- epoch: the node's current incarnation. A node that has been recovered inserts nothing, because its peers would not know of the rows.
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'ACQUIRED', NULL, NULL, '0', '0'
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), next_fire_time int, priority int) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive
FOR UPDATE OF t;

-- name: insertFirings
-- Reserves and fires triggers in one step, if they are already due. Fewer rows than requested: another node was faster.
-- epoch: as in insertReservations.
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), next_fire_time int, priority int,
                  is_nonconcurrent text(1), requests_recovery text(1)) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
-- include: nodeIsAlive
FOR UPDATE OF t;

-- name: insertImmediateFirings
-- Fires triggers that are stored in this transaction, in their state after the firing. No other node can have fired them.
-- epoch: as in insertReservations.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.scheduled_time, r.priority,
       'EXECUTING', r.job_name, r.job_group, r.is_nonconcurrent, r.requests_recovery
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), scheduled_time int, priority int,
                  is_nonconcurrent text(1), requests_recovery text(1), job_name key, job_group key) AS r
WHERE
-- include: nodeIsAlive;

-- name: markAcquired
-- Marks the triggers as acquired. Sent with insertReservations, which has locked them, under the same condition.
-- counts: twice
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'ACQUIRED'
FROM @list(:rows, trigger_name key, trigger_group key, next_fire_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time;
-- only: mysql
INSERT INTO QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, TRIGGER_STATE, TRIGGER_TYPE, START_TIME)
SELECT t.SCHED_NAME, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, '', '', 0
FROM @list(:rows, trigger_name key, trigger_group key, next_fire_time int) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
FOR UPDATE OF t
ON DUPLICATE KEY UPDATE
  TRIGGER_STATE = 'ACQUIRED';