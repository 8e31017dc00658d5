-- Written from sql/queries by scripts/expand-sql.mjs.

-- name: selectDueTriggers
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES and QRTZ_X_MISFIRED.
SELECT
json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
                  t.PRIORITY, t.TRIGGER_STATE, t.TRIGGER_TYPE, t.START_TIME, t.END_TIME, t.CALENDAR_NAME, t.MISFIRE_INSTR,
                  j.DESCRIPTION, j.JOB_CLASS_NAME,
                  j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY,
                  CASE t.TRIGGER_TYPE
                       WHEN 'SIMPLE' THEN json_array(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                       WHEN 'CRON' THEN json_array(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                       ELSE json_array(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                       p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                  CASE WHEN j.IS_NONCONCURRENT = '1'
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v INDEXED BY IDX_QRTZ_X_P_J WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w INDEXED BY IDX_QRTZ_X_P_J
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectDueTriggersOfOtherGroups
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES and QRTZ_X_MISFIRED.
SELECT
json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
                  t.PRIORITY, t.TRIGGER_STATE, t.TRIGGER_TYPE, t.START_TIME, t.END_TIME, t.CALENDAR_NAME, t.MISFIRE_INSTR,
                  j.DESCRIPTION, j.JOB_CLASS_NAME,
                  j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY,
                  CASE t.TRIGGER_TYPE
                       WHEN 'SIMPLE' THEN json_array(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                       WHEN 'CRON' THEN json_array(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                       ELSE json_array(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                       p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                  CASE WHEN j.IS_NONCONCURRENT = '1'
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v INDEXED BY IDX_QRTZ_X_P_J WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w INDEXED BY IDX_QRTZ_X_P_J
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND t.JOB_GROUP NOT IN (SELECT value FROM json_each(:fullGroups))
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectUnlockedTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectDueKeys
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
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
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectWaitingPriorities
-- Index: IDX_QRTZ_X_T_P_NFT, jumping: two lookups per priority, however many triggers wait (100,000: 0.5 ms); IDX_QRTZ_X_MI_P, jumping too.
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
    AND p.position < :limit)
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
        LIMIT 1) AS FIRST_TIME,
       (SELECT m.FIRST_DUE_TIME
        FROM QRTZ_X_MISFIRED AS m INDEXED BY IDX_QRTZ_X_MI_P
        WHERE m.SCHED_NAME = :schedName
          AND m.PRIORITY = p.priority
        ORDER BY m.FIRST_DUE_TIME
        LIMIT 1) AS FIRST_DUE_TIME
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
        LIMIT 1),
       (SELECT m.FIRST_DUE_TIME
        FROM QRTZ_X_MISFIRED AS m INDEXED BY IDX_QRTZ_X_MI_P
        WHERE m.SCHED_NAME = :schedName
          AND m.PRIORITY = 5
        ORDER BY m.FIRST_DUE_TIME
        LIMIT 1)
WHERE 5 BETWEEN :minPriority AND :maxPriority;

-- name: selectMisfiredKeysOfPriority
-- Index: IDX_QRTZ_X_MI_P in its order, which skips triggers that are not due (10,000: 6 to 11 ms); PRIMARY of QRTZ_TRIGGERS, QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, m.FIRST_DUE_TIME
FROM QRTZ_X_MISFIRED AS m INDEXED BY IDX_QRTZ_X_MI_P
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = m.SCHED_NAME AND t.TRIGGER_NAME = m.TRIGGER_NAME AND t.TRIGGER_GROUP = m.TRIGGER_GROUP
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE m.SCHED_NAME = :schedName
  AND m.PRIORITY = :priority
  AND m.NEXT_FIRE_TIME >= :misfireTime
  AND m.NEXT_FIRE_TIME <= :dueBy
  AND t.NEXT_FIRE_TIME = m.NEXT_FIRE_TIME
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.JOB_GROUP NOT IN (SELECT value FROM json_each(:fullGroups))
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY m.FIRST_DUE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectDueKeysOfPriority
-- Index: IDX_QRTZ_X_T_P_NFT in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column.
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
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: countWaitingTriggers
-- Index: IDX_QRTZ_T_NFT_ST, without reading a trigger.
SELECT COUNT(*) AS TRIGGERS
FROM (SELECT 1
      FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = 'WAITING'
        AND t.NEXT_FIRE_TIME <> -1
        AND t.NEXT_FIRE_TIME < :before
      LIMIT :limit + 0) AS w;

-- name: insertReservations
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
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
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'ACQUIRED', NULL, NULL, '0', '0'
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
(:epoch IS NULL
       OR EXISTS (SELECT 1
                  FROM QRTZ_SCHEDULER_STATE AS s
                  JOIN QRTZ_X_NODES AS n
                    ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
                  WHERE s.SCHED_NAME = :schedName
                    AND s.INSTANCE_NAME = :instanceId
                    AND n.EPOCH = :epoch));

-- name: insertFirings
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the triggers read, the rows inserted.
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
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND
(:epoch IS NULL
       OR EXISTS (SELECT 1
                  FROM QRTZ_SCHEDULER_STATE AS s
                  JOIN QRTZ_X_NODES AS n
                    ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
                  WHERE s.SCHED_NAME = :schedName
                    AND s.INSTANCE_NAME = :instanceId
                    AND n.EPOCH = :epoch));

-- name: insertImmediateFirings
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS scheduled_time,
         value ->> 4 AS priority,
         value ->> 5 AS is_nonconcurrent,
         value ->> 6 AS requests_recovery,
         value ->> 7 AS job_name,
         value ->> 8 AS job_group
  FROM json_each(:rows))
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.scheduled_time, r.priority,
       'EXECUTING', r.job_name, r.job_group, r.is_nonconcurrent, r.requests_recovery
FROM r
WHERE
(:epoch IS NULL
       OR EXISTS (SELECT 1
                  FROM QRTZ_SCHEDULER_STATE AS s
                  JOIN QRTZ_X_NODES AS n
                    ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
                  WHERE s.SCHED_NAME = :schedName
                    AND s.INSTANCE_NAME = :instanceId
                    AND n.EPOCH = :epoch));

-- name: markAcquired
-- counts: twice
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
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
  AND +t.TRIGGER_STATE = 'WAITING'
  AND +t.NEXT_FIRE_TIME = r.next_fire_time;

-- name: insertAction
-- Index: PRIMARY of QRTZ_X_ACTIONS. Locks: the row inserted.
INSERT INTO QRTZ_X_ACTIONS
      (SCHED_NAME, ACTION_TIME, ACTION_ID, ACTOR_NAME, ACTOR_ROLE, VIA, ADDRESS, OPERATION, SUBJECT, INPUT, CHANGES, ERROR_MESSAGE)
VALUES (:schedName, :now, :actionId, :actor, :role, :via, :address, :operation, :subject, :input, :changes, :error)
ON CONFLICT (SCHED_NAME, ACTION_TIME, ACTION_ID) DO UPDATE SET
  ACTION_ID = :actionId;

-- name: selectActions
-- Index: PRIMARY of QRTZ_X_ACTIONS, backwards.
SELECT t.ACTION_TIME, t.ACTION_ID, t.ACTOR_NAME, t.ACTOR_ROLE, t.VIA, t.ADDRESS, t.OPERATION, t.SUBJECT, t.INPUT, t.CHANGES, t.ERROR_MESSAGE
FROM QRTZ_X_ACTIONS AS t
WHERE t.SCHED_NAME = :schedName
AND t.ACTION_TIME >= :since
  AND t.ACTION_TIME <= :before
  AND (t.ACTION_TIME < :before OR t.ACTION_ID < :actionId)
ORDER BY t.ACTION_TIME DESC, t.ACTION_ID DESC
LIMIT :take + 0;

-- name: selectActionsOfActor
-- Index: IDX_QRTZ_X_A_N, backwards.
SELECT t.ACTION_TIME, t.ACTION_ID, t.ACTOR_NAME, t.ACTOR_ROLE, t.VIA, t.ADDRESS, t.OPERATION, t.SUBJECT, t.INPUT, t.CHANGES, t.ERROR_MESSAGE
FROM QRTZ_X_ACTIONS AS t INDEXED BY IDX_QRTZ_X_A_N
WHERE t.SCHED_NAME = :schedName
  AND t.ACTOR_NAME = :actor
AND t.ACTION_TIME >= :since
  AND t.ACTION_TIME <= :before
  AND (t.ACTION_TIME < :before OR t.ACTION_ID < :actionId)
ORDER BY t.ACTION_TIME DESC, t.ACTION_ID DESC
LIMIT :take + 0;

-- name: selectActionsOfOperation
-- Index: IDX_QRTZ_X_A_O, backwards.
SELECT t.ACTION_TIME, t.ACTION_ID, t.ACTOR_NAME, t.ACTOR_ROLE, t.VIA, t.ADDRESS, t.OPERATION, t.SUBJECT, t.INPUT, t.CHANGES, t.ERROR_MESSAGE
FROM QRTZ_X_ACTIONS AS t INDEXED BY IDX_QRTZ_X_A_O
WHERE t.SCHED_NAME = :schedName
  AND t.OPERATION = :operation
AND t.ACTION_TIME >= :since
  AND t.ACTION_TIME <= :before
  AND (t.ACTION_TIME < :before OR t.ACTION_ID < :actionId)
ORDER BY t.ACTION_TIME DESC, t.ACTION_ID DESC
LIMIT :take + 0;

-- name: deleteOldActions
-- Index: PRIMARY of QRTZ_X_ACTIONS, in its order. Locks: the rows deleted.
DELETE FROM QRTZ_X_ACTIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND (d.ACTION_TIME, d.ACTION_ID) IN (SELECT t.ACTION_TIME, t.ACTION_ID
                                       FROM QRTZ_X_ACTIONS AS t
                                       WHERE t.SCHED_NAME = :schedName
                                         AND t.ACTION_TIME < :before
                                       ORDER BY t.ACTION_TIME, t.ACTION_ID
                                       LIMIT :limit + 0);

-- name: selectCalendars
-- Index: PRIMARY of QRTZ_CALENDARS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS calendar_name
  FROM json_each(:rows))
SELECT k.CALENDAR_NAME, k.CALENDAR
FROM r
CROSS JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = r.sched_name AND k.CALENDAR_NAME = r.calendar_name;

-- name: selectCalendarNames
-- Index: PRIMARY of QRTZ_CALENDARS, its first column.
SELECT CALENDAR_NAME
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName;

-- name: selectCalendarPage
-- Index: PRIMARY of QRTZ_CALENDARS.
SELECT CALENDAR_NAME, CALENDAR
FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName
  AND CALENDAR_NAME > :afterName
ORDER BY CALENDAR_NAME
LIMIT :take + 0;

-- name: insertCalendars
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'calendarName' AS calendar_name,
         value ->> 'calendar' AS calendar
  FROM json_each(:rows))
INSERT INTO QRTZ_CALENDARS
      (SCHED_NAME, CALENDAR_NAME, CALENDAR)
SELECT :schedName, r.calendar_name, unhex(r.calendar)
FROM r;

-- name: deleteCalendars
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'calendarName' AS calendar_name
  FROM json_each(:rows))
DELETE FROM QRTZ_CALENDARS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME IN (SELECT r.calendar_name FROM r);

-- name: selectLinks
-- Index: PRIMARY of QRTZ_X_PARENTS, its first column, and of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, x.JOB_NAME AS PARENT_NAME, x.JOB_GROUP AS PARENT_GROUP
FROM QRTZ_X_PARENTS AS x
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE x.SCHED_NAME = :schedName
  AND t.TRIGGER_TYPE = 'AFTER';

-- name: selectFollowers
-- Index: IDX_QRTZ_X_P_J, PRIMARY of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT DISTINCT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
  ON x.SCHED_NAME = r.sched_name AND x.JOB_NAME = r.job_name AND x.JOB_GROUP = r.job_group
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = x.SCHED_NAME AND t.TRIGGER_NAME = x.TRIGGER_NAME AND t.TRIGGER_GROUP = x.TRIGGER_GROUP
WHERE t.TRIGGER_TYPE = 'AFTER'
  AND t.TRIGGER_STATE IN ('WAITING', 'BLOCKED')
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME;

-- name: selectAnyFollowedOf
-- Index: IDX_QRTZ_X_P_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:rows))
SELECT 1 AS FOUND
FROM r
CROSS JOIN QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
  ON x.SCHED_NAME = r.sched_name AND x.JOB_NAME = r.job_name AND x.JOB_GROUP = r.job_group
LIMIT 1;

-- name: advanceAfterTriggers
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS from_ended,
         value ->> 3 AS to_ended,
         value ->> 4 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET STR_PROP_1 = r.to_ended,
    INT_PROP_2 = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.STR_PROP_1 = r.from_ended;

-- name: insertParents
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS parent_number,
         value ->> 3 AS job_name,
         value ->> 4 AS job_group
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PARENTS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER, JOB_NAME, JOB_GROUP)
SELECT :schedName, r.trigger_name, r.trigger_group, r.parent_number, r.job_name, r.job_group
FROM r;

-- name: deleteParents
-- Index: PRIMARY of QRTZ_X_PARENTS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PARENTS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: selectCheckpoint
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS.
SELECT t.SAVED_VALUE, t.RUN_ID
FROM QRTZ_X_CHECKPOINTS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.OCCURRENCE_ID = :occurrenceId
  AND t.SHARD = :shard;

-- name: upsertCheckpoints
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_CHECKPOINTS. Locks: the fired trigger, the row written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS shard,
         value ->> 2 AS run_id,
         value ->> 3 AS saved_value
  FROM json_each(:rows))
INSERT INTO QRTZ_X_CHECKPOINTS
      (SCHED_NAME, OCCURRENCE_ID, SHARD, SAVED_VALUE, RUN_ID, UPDATED_TIME)
SELECT :schedName, r.occurrence_id, r.shard, r.saved_value, r.run_id, :now
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.run_id
WHERE f.INSTANCE_NAME = :instanceId
  AND f.STATE = 'EXECUTING'
ON CONFLICT (SCHED_NAME, OCCURRENCE_ID, SHARD) DO UPDATE SET
  SAVED_VALUE = excluded.SAVED_VALUE,
  RUN_ID = excluded.RUN_ID,
  UPDATED_TIME = excluded.UPDATED_TIME;

-- name: keepCheckpoints
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS shard,
         value ->> 2 AS run_id
  FROM json_each(:rows))
UPDATE QRTZ_X_CHECKPOINTS AS t
SET RUN_ID = r.run_id, UPDATED_TIME = :now
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OCCURRENCE_ID = r.occurrence_id
  AND t.SHARD = r.shard;

-- name: selectOldCheckpoints
-- Index: IDX_QRTZ_X_C_U in its order, PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
SELECT c.OCCURRENCE_ID, c.SHARD
FROM QRTZ_X_CHECKPOINTS AS c INDEXED BY IDX_QRTZ_X_C_U
WHERE c.SCHED_NAME = :schedName
  AND c.UPDATED_TIME < :before
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f
                  WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = c.RUN_ID)
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t
                  WHERE t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = 'retry_' || c.RUN_ID AND t.TRIGGER_GROUP = 'RETRYING_JOBS')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS u
                  WHERE u.SCHED_NAME = :schedName AND u.TRIGGER_NAME = 'recover_' || c.RUN_ID AND u.TRIGGER_GROUP = 'RECOVERING_JOBS')
ORDER BY c.UPDATED_TIME
LIMIT :limit + 0;

-- name: deleteCheckpoints
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS shard
  FROM json_each(:rows))
DELETE FROM QRTZ_X_CHECKPOINTS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.OCCURRENCE_ID, t.SHARD) IN (SELECT r.occurrence_id, r.shard FROM r)
  AND +t.UPDATED_TIME < :before;

-- name: selectClock
SELECT CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) AS NOW_TIME;

-- name: selectNodes
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT c.NOW_TIME, s.INSTANCE_NAME, s.LAST_CHECKIN_TIME, s.CHECKIN_INTERVAL, n.EPOCH, n.VERSION, n.TIME_ZONE_DATA, n.HOST, n.PROCESS_ID,
       n.PROCESS_SCOPE, n.PROCESS_START, n.STARTED_AT, n.CHECKIN_GRACE, n.CLOCK_OFFSET, n.SIGNAL_SEEN,
       n.LABELS, n.STATUS
FROM (SELECT CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) AS NOW_TIME) AS c
LEFT JOIN QRTZ_SCHEDULER_STATE AS s
  ON s.SCHED_NAME = :schedName
LEFT JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME;

-- name: selectNode
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: its rows.
SELECT s.LAST_CHECKIN_TIME, n.EPOCH, n.STATUS
FROM QRTZ_SCHEDULER_STATE AS s
LEFT JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME = :instanceId;

-- name: updateCheckIn
-- Index: PRIMARY of both. Locks: the node's own rows; never behind TRIGGER_ACCESS.
UPDATE QRTZ_SCHEDULER_STATE AS s
SET LAST_CHECKIN_TIME = MAX(CASE WHEN s.LAST_CHECKIN_TIME BETWEEN 0 AND 8640000000000000 THEN s.LAST_CHECKIN_TIME + 1 ELSE 0 END,
                                 CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)),
    CHECKIN_INTERVAL = :checkInInterval
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME = :instanceId
  AND EXISTS (SELECT 1
              FROM QRTZ_X_NODES AS n
              WHERE n.SCHED_NAME = :schedName
                AND n.INSTANCE_NAME = :instanceId
                AND n.EPOCH = :epoch);

-- name: selectJoinObstacle
-- Index: PRIMARY of QRTZ_LOCKS, QRTZ_SCHEDULER_STATE and QRTZ_X_META; IDX_QRTZ_FT_INST_JOB_REQ_RCVRY.
SELECT l.LOCK_NAME
FROM QRTZ_LOCKS AS l
WHERE l.SCHED_NAME = :schedName
  AND l.LOCK_NAME = 'STATE_ACCESS'
  AND (EXISTS (SELECT 1
               FROM QRTZ_SCHEDULER_STATE AS s
               WHERE s.SCHED_NAME = :schedName
                 AND s.INSTANCE_NAME = :instanceId)
       OR EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_INST_JOB_REQ_RCVRY
                  WHERE f.SCHED_NAME = :schedName
                    AND f.INSTANCE_NAME = :instanceId)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_META AS m
                      WHERE m.SCHED_NAME = :schedName
                        AND m.META_KEY = 'rules'
                        AND m.META_VALUE = :rules));

-- name: insertCheckIn
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE. Locks: the row inserted.
INSERT INTO QRTZ_SCHEDULER_STATE (SCHED_NAME, INSTANCE_NAME, LAST_CHECKIN_TIME, CHECKIN_INTERVAL)
VALUES (:schedName, :instanceId, CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER), :checkInInterval);

-- name: deleteCheckIn
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE. Locks: the row.
DELETE FROM QRTZ_SCHEDULER_STATE
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND LAST_CHECKIN_TIME = :lastCheckInTime;

-- name: insertNode
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row inserted.
INSERT INTO QRTZ_X_NODES
      (SCHED_NAME, INSTANCE_NAME, EPOCH, PROTOCOL, VERSION, TIME_ZONE_DATA, HOST, PROCESS_ID, STARTED_AT, CHECKIN_GRACE, CLOCK_OFFSET, STATUS,
       SIGNAL_NUMBER, SIGNAL_SEEN, SIGNALS, JOB_TYPES, PROCESS_SCOPE, PROCESS_START,
       LABELS)
VALUES (:schedName, :instanceId, :epoch, 1, :version, :timeZoneData, :host, :processId,
        CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER), :checkInGrace, 0, :status, 0, 0, NULL, :jobTypes,
        :processScope, :processStart, :labels);

-- name: deleteNode
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
DELETE FROM QRTZ_X_NODES
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId;

-- name: updateNodeClock
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET CLOCK_OFFSET = :clockOffset
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateNodeLoad
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET LOAD_FIGURES = :load
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch
  AND COALESCE(LOAD_FIGURES, '') <> :load;

-- name: selectNodeLoads
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT s.INSTANCE_NAME, s.LAST_CHECKIN_TIME, n.LOAD_FIGURES
FROM QRTZ_SCHEDULER_STATE AS s
LEFT JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName;

-- name: selectJobTypes
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT s.INSTANCE_NAME, n.EPOCH, n.JOB_TYPES, n.LABELS
FROM QRTZ_SCHEDULER_STATE AS s
LEFT JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName;

-- name: updateJobTypes
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET JOB_TYPES = :jobTypes
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateNodeStatus
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET STATUS = :status
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: selectBacklog
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, j.JOB_CLASS_NAME, w.RUNS_ON
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_X_PLACES AS w
  ON w.SCHED_NAME = t.SCHED_NAME AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :before
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: selectFiringsOf
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY. Locks: the rows read.
SELECT f.ENTRY_ID, f.STATE, f.TRIGGER_NAME, f.TRIGGER_GROUP, f.FIRED_TIME, f.SCHED_TIME, f.PRIORITY, f.JOB_NAME, f.JOB_GROUP,
       f.IS_NONCONCURRENT, f.REQUESTS_RECOVERY
FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_INST_JOB_REQ_RCVRY
WHERE f.SCHED_NAME = :schedName
  AND f.INSTANCE_NAME = :instanceId
LIMIT :limit + 0;

-- name: selectEntriesOf
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY.
SELECT f.ENTRY_ID
FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_INST_JOB_REQ_RCVRY
WHERE f.SCHED_NAME = :schedName
  AND f.INSTANCE_NAME = :instanceId;

-- name: deleteFiringsOf
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENTRY_ID IN (SELECT r.entry_id FROM r)
  AND +t.INSTANCE_NAME = :instanceId;

-- name: releaseReservedTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group,
         value ->> 'nextFireTime' AS next_fire_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.TRIGGER_STATE = 'ACQUIRED'
  AND +t.NEXT_FIRE_TIME = r.next_fire_time
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
                  WHERE f.SCHED_NAME = t.SCHED_NAME
                    AND f.TRIGGER_NAME = t.TRIGGER_NAME
                    AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
                    AND f.STATE = 'ACQUIRED');

-- name: selectLeftovers
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_TYPE, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.TRIGGER_STATE = 'COMPLETE'
  AND t.NEXT_FIRE_TIME = -1
  AND f.SCHED_NAME IS NULL;

-- name: selectEndedTriggers
-- Index: IDX_QRTZ_T_NFT_ST for completed triggers, IDX_QRTZ_FT_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'COMPLETE'
  AND t.NEXT_FIRE_TIME = -1
  AND (t.TRIGGER_GROUP > :afterGroup OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))
  AND f.SCHED_NAME IS NULL
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :limit + 0;

-- name: selectOrphanInstances
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY, jumping from id to id (MariaDB 10.11 reads all of the scheduler's entries); PRIMARY of QRTZ_SCHEDULER_STATE.
SELECT DISTINCT f.INSTANCE_NAME
FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_INST_JOB_REQ_RCVRY
LEFT JOIN QRTZ_SCHEDULER_STATE AS s
  ON s.SCHED_NAME = f.SCHED_NAME AND s.INSTANCE_NAME = f.INSTANCE_NAME
WHERE f.SCHED_NAME = :schedName
  AND s.SCHED_NAME IS NULL;

-- name: selectJsonData
-- Index: PRIMARY of QRTZ_JOB_DETAILS and of QRTZ_TRIGGERS, their first column.
SELECT 'job' AS WHAT, j.JOB_NAME AS NAME, j.JOB_GROUP AS GROUP_NAME
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND HEX(SUBSTR(j.JOB_DATA, 1, 1)) = '7B'
UNION ALL
SELECT 'trigger' AS WHAT, t.TRIGGER_NAME AS NAME, t.TRIGGER_GROUP AS GROUP_NAME
FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND HEX(SUBSTR(t.JOB_DATA, 1, 1)) = '7B'
LIMIT :limit + 0;

-- name: selectStrandedTriggers
-- Index: IDX_QRTZ_T_NFT_ST for reserved triggers, IDX_QRTZ_FT_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
 AND f.STATE = 'ACQUIRED'
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'ACQUIRED'
  AND f.SCHED_NAME IS NULL
LIMIT :limit + 0;

-- name: selectBlockedJobs
-- Index: IDX_QRTZ_T_NFT_ST for blocked triggers, IDX_QRTZ_FT_J_G, PRIMARY of QRTZ_X_WAITERS.
SELECT DISTINCT t.JOB_NAME, t.JOB_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_J_G
  ON f.SCHED_NAME = t.SCHED_NAME AND f.JOB_NAME = t.JOB_NAME AND f.JOB_GROUP = t.JOB_GROUP AND f.STATE = 'EXECUTING'
LEFT JOIN QRTZ_X_WAITERS AS w
  ON w.SCHED_NAME = t.SCHED_NAME AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
  AND f.SCHED_NAME IS NULL
  AND w.SCHED_NAME IS NULL
LIMIT :limit + 0;

-- name: selectTriggerKinds
-- Index: PRIMARY of every table, from a key on; a thousand take 8 ms, however many there are.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE,
       CASE WHEN t.TRIGGER_TYPE = 'SIMPLE'
            THEN EXISTS (SELECT 1
                         FROM QRTZ_SIMPLE_TRIGGERS AS s
                         WHERE s.SCHED_NAME = t.SCHED_NAME
                           AND s.TRIGGER_NAME = t.TRIGGER_NAME
                           AND s.TRIGGER_GROUP = t.TRIGGER_GROUP)
            WHEN t.TRIGGER_TYPE = 'CRON'
            THEN EXISTS (SELECT 1
                         FROM QRTZ_CRON_TRIGGERS AS c
                         WHERE c.SCHED_NAME = t.SCHED_NAME
                           AND c.TRIGGER_NAME = t.TRIGGER_NAME
                           AND c.TRIGGER_GROUP = t.TRIGGER_GROUP)
            WHEN t.TRIGGER_TYPE IN ('CAL_INT', 'DAILY_I', 'AFTER')
            THEN EXISTS (SELECT 1
                         FROM QRTZ_SIMPROP_TRIGGERS AS p
                         WHERE p.SCHED_NAME = t.SCHED_NAME
                           AND p.TRIGGER_NAME = t.TRIGGER_NAME
                           AND p.TRIGGER_GROUP = t.TRIGGER_GROUP)
            ELSE 1 END AS HAS_KIND
FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :limit + 0;

-- name: selectChanges
-- Index: IDX_QRTZ_T_NFT_ST, its first 50 entries from a moment ago on and those before (10,000: 2 ms); PRIMARY of QRTZ_X_NODES.
SELECT CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) AS NOW_TIME,
       w.EARLIEST, w.TRIGGERS, w.TOTAL, o.BACKLOG, o.BACKLOG_TOTAL,
       (SELECT n.SIGNAL_NUMBER
        FROM QRTZ_X_NODES AS n
        WHERE n.SCHED_NAME = :schedName
          AND n.INSTANCE_NAME = :instanceId
          AND n.EPOCH = :epoch) AS SIGNAL_NUMBER
FROM (SELECT MIN(f.NEXT_FIRE_TIME) AS EARLIEST,
             COUNT(f.NEXT_FIRE_TIME) AS TRIGGERS,
             CAST(COALESCE(SUM(f.NEXT_FIRE_TIME % 1000000007), 0) AS INTEGER) AS TOTAL
      FROM (SELECT t.NEXT_FIRE_TIME
            FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
            WHERE t.SCHED_NAME = :schedName
              AND t.TRIGGER_STATE = 'WAITING'
              AND t.NEXT_FIRE_TIME >= CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) - :lookBack
            ORDER BY t.NEXT_FIRE_TIME
            LIMIT 50) AS f) AS w
CROSS JOIN (SELECT COUNT(*) AS BACKLOG,
                   CAST(COALESCE(SUM(t.NEXT_FIRE_TIME % 1000000007), 0) AS INTEGER) AS BACKLOG_TOTAL
            FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
            WHERE :isCounted = 1
              AND t.SCHED_NAME = :schedName
              AND t.TRIGGER_STATE = 'WAITING'
              AND t.NEXT_FIRE_TIME <> -1
              AND t.NEXT_FIRE_TIME < CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) - :lookBack) AS o;

-- name: selectFirstToFire
-- Index: IDX_QRTZ_T_NFT_ST, its first entry in either state.
SELECT (SELECT t.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_STATE = 'WAITING'
          AND t.NEXT_FIRE_TIME <> -1
        ORDER BY t.NEXT_FIRE_TIME
        LIMIT 1) AS WAITING_TIME,
       (SELECT t.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_STATE = 'ACQUIRED'
          AND t.NEXT_FIRE_TIME <> -1
        ORDER BY t.NEXT_FIRE_TIME
        LIMIT 1) AS RESERVED_TIME;

-- name: selectFirstOfBacklog
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column (10,000 that cannot run here: 11 ms).
SELECT t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :now
  AND ((t.NEXT_FIRE_TIME < :misfireTime AND t.MISFIRE_INSTR <> -1 AND t.TRIGGER_TYPE <> 'BLOB')
       OR (j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
           AND t.JOB_GROUP NOT IN (SELECT value FROM json_each(:fullGroups))
           AND
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
          ))
ORDER BY t.NEXT_FIRE_TIME
LIMIT 1;

-- name: selectNextFallback
-- Index: PRIMARY of QRTZ_X_PLACES by its first column, one row; only if there is one: IDX_QRTZ_T_NFT_ST in its order, then for each of the 100 triggers PRIMARY of QRTZ_X_PLACES and of QRTZ_JOB_DETAILS.
SELECT COUNT(*) AS TRIGGERS, MIN(CASE WHEN j.JOB_NAME IS NOT NULL THEN t.NEXT_FIRE_TIME + MIN(w.FALLBACK_AFTER, :maxFallbackAfter) END) AS AVAILABLE_AT
FROM (SELECT 1 AS IS_USED FROM QRTZ_X_PLACES WHERE SCHED_NAME = :schedName LIMIT 1) AS x
CROSS JOIN (SELECT o.TRIGGER_NAME, o.TRIGGER_GROUP, o.JOB_NAME, o.JOB_GROUP, o.NEXT_FIRE_TIME, o.PRIORITY
      FROM QRTZ_TRIGGERS AS o INDEXED BY IDX_QRTZ_T_NFT_ST
      WHERE o.SCHED_NAME = :schedName
        AND o.TRIGGER_STATE = 'WAITING'
        AND o.NEXT_FIRE_TIME > :now - :maxFallbackAfter
        AND o.NEXT_FIRE_TIME <= :now
      ORDER BY o.NEXT_FIRE_TIME
      LIMIT :limit + 0) AS t
LEFT JOIN QRTZ_X_PLACES AS w
  ON w.SCHED_NAME = :schedName AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
 AND w.FALLBACK_AFTER > 0
 AND
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
 AND COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = w.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
 AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows));

-- name: selectSignals
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS instance_id
  FROM json_each(:rows))
SELECT n.INSTANCE_NAME, n.EPOCH, n.SIGNAL_NUMBER, n.SIGNAL_SEEN, n.SIGNALS
FROM r
CROSS JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = r.sched_name AND n.INSTANCE_NAME = r.instance_id;

-- name: updateSignals
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET SIGNAL_NUMBER = :number,
    SIGNALS = :signals
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId;

-- name: selectOwnSignals
-- Index: PRIMARY of QRTZ_X_NODES.
SELECT SIGNALS
FROM QRTZ_X_NODES
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateSignalSeen
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET SIGNAL_SEEN = :number
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch
  AND SIGNAL_SEEN < :number;

-- name: selectExecutingFirings
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, its first column: there are no more rows than workers; that of QRTZ_X_PROGRESS.
SELECT f.ENTRY_ID, f.INSTANCE_NAME, f.TRIGGER_NAME, f.TRIGGER_GROUP, f.JOB_NAME, f.JOB_GROUP, f.FIRED_TIME, f.SCHED_TIME,
       p.FRACTION, p.MESSAGE, p.UPDATED_TIME, p.INTERRUPTED_TIME, p.INTERRUPTED_BY
FROM QRTZ_FIRED_TRIGGERS AS f
LEFT JOIN QRTZ_X_PROGRESS AS p
  ON p.SCHED_NAME = f.SCHED_NAME AND p.ENTRY_ID = f.ENTRY_ID
WHERE f.SCHED_NAME = :schedName
  AND f.STATE = 'EXECUTING'
ORDER BY f.FIRED_TIME, f.ENTRY_ID;

-- name: writeCommitToken
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :tokenKey, CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) || ' ' || :number)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;

-- name: advanceCommitToken
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
UPDATE QRTZ_X_META AS m
SET META_VALUE = CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) || ' ' || :number
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :tokenKey
  AND m.META_VALUE LIKE :before;

-- name: selectCommitToken
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :tokenKey;

-- name: deleteCommitToken
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName
  AND META_KEY = :tokenKey;

-- name: deleteOldCommitTokens
-- Index: PRIMARY of QRTZ_X_META. Locks: the tokens read.
DELETE FROM QRTZ_X_META AS m
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY >= 'commit.'
  AND m.META_KEY < 'commit/'
  AND m.META_VALUE < CAST(CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) - :age AS TEXT);

-- name: deleteFirings
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENTRY_ID IN (SELECT r.entry_id FROM r)
  AND +t.INSTANCE_NAME = :instanceId
  AND +t.STATE = 'EXECUTING';

-- name: deleteConcurrentFirings
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENTRY_ID IN (SELECT r.entry_id FROM r)
  AND +t.INSTANCE_NAME = :instanceId
  AND +t.STATE = 'EXECUTING'
  AND +t.IS_NONCONCURRENT = '0';

-- name: selectFiredTriggers
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the fired rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
SELECT f.ENTRY_ID, f.STATE
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id
WHERE f.INSTANCE_NAME = :instanceId;

-- name: selectCompletionTargets
-- Index: PRIMARY of QRTZ_JOB_DETAILS and QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group,
         value ->> 2 AS trigger_name,
         value ->> 3 AS trigger_group
  FROM json_each(:rows))
SELECT r.position AS POSITION, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.IS_DURABLE, t.TRIGGER_STATE,
       t.TRIGGER_TYPE, t.NEXT_FIRE_TIME, t.JOB_NAME, t.JOB_GROUP
FROM r
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = r.sched_name AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteFinishedTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_TRIGGERS
WHERE rowid IN (SELECT t.rowid
                FROM r
                CROSS JOIN QRTZ_TRIGGERS AS t
                  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
                WHERE +t.NEXT_FIRE_TIME = -1);

-- name: settleTriggersOfJobs
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'toState' AS to_state
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET TRIGGER_STATE = r.to_state
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');

-- name: selectActiveTriggersOfJobs
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR');

-- name: unblockTriggers
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED');

-- name: unblockIdleTriggers
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_J_G, PRIMARY. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED_BLOCKED' THEN 'PAUSED' ELSE 'WAITING' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                  WHERE e.SCHED_NAME = r.sched_name AND e.JOB_NAME = r.job_name AND e.JOB_GROUP = r.job_group AND e.STATE = 'EXECUTING');

-- name: selectEarliestOfJobs
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT MIN(t.NEXT_FIRE_TIME) AS EARLIEST
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE = 'WAITING';

-- name: selectDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS subject,
         value ->> 1 AS subject_name,
         value ->> 2 AS subject_group
  FROM json_each(:rows))
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM r
CROSS JOIN QRTZ_X_DECLARED AS d
  ON d.SCHED_NAME = r.sched_name AND d.SUBJECT = r.subject AND d.SUBJECT_NAME = r.subject_name
     AND d.SUBJECT_GROUP = r.subject_group;

-- name: selectDeclaredOfJobs
-- Index: IDX_QRTZ_X_D_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:rows))
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.JOB_NAME, d.JOB_GROUP, d.DECLARED_SET, d.DEFINITION, d.OWNER, d.EDITS
FROM r
CROSS JOIN QRTZ_X_DECLARED AS d INDEXED BY IDX_QRTZ_X_D_J
  ON d.SCHED_NAME = r.sched_name AND d.JOB_NAME = r.job_name AND d.JOB_GROUP = r.job_group;

-- name: selectEveryDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: selectDeclaredSet
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS name
  FROM json_each(:rows))
SELECT d.SUBJECT, d.SUBJECT_NAME, d.SUBJECT_GROUP, d.DECLARED_SET
FROM QRTZ_X_DECLARED AS d
WHERE d.SCHED_NAME = :schedName
  AND d.DECLARED_SET IN (
    SELECT r.name FROM r);

-- name: selectEdited
-- Index: IDX_QRTZ_X_D_E.
SELECT SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, EDITS
FROM QRTZ_X_DECLARED INDEXED BY IDX_QRTZ_X_D_E
WHERE SCHED_NAME = :schedName AND IS_EDITED = 1
  AND (SUBJECT, SUBJECT_GROUP, SUBJECT_NAME) > (:subject, :group, :name)
ORDER BY SUBJECT, SUBJECT_GROUP, SUBJECT_NAME
LIMIT :limit + 0;

-- name: insertDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'subject' AS subject,
         value ->> 'subjectName' AS subject_name,
         value ->> 'subjectGroup' AS subject_group,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'declaredSet' AS declared_set,
         value ->> 'definition' AS definition,
         value ->> 'owner' AS owner,
         value ->> 'isEdited' AS is_edited,
         value ->> 'edits' AS edits
  FROM json_each(:rows))
INSERT INTO QRTZ_X_DECLARED
      (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP, JOB_NAME, JOB_GROUP, DECLARED_SET, DEFINITION, OWNER, IS_EDITED, EDITS)
SELECT :schedName, r.subject, r.subject_name, r.subject_group, r.job_name, r.job_group, r.declared_set, r.definition, r.owner, r.is_edited, r.edits
FROM r;

-- name: deleteDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS subject,
         value ->> 1 AS subject_name,
         value ->> 2 AS subject_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_DECLARED AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.SUBJECT, t.SUBJECT_NAME, t.SUBJECT_GROUP) IN (SELECT r.subject, r.subject_name, r.subject_group FROM r);

-- name: deleteAllFiredTriggers
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllSimpleTriggers
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_SIMPLE_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllCronTriggers
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_CRON_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllSimpropTriggers
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_SIMPROP_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllBlobTriggers
-- Index: PRIMARY of QRTZ_BLOB_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_BLOB_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllParents
-- Index: PRIMARY of QRTZ_X_PARENTS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PARENTS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllJobDetails
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_JOB_DETAILS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllCalendars
-- Index: PRIMARY of QRTZ_CALENDARS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_CALENDARS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllPausedTriggerGrps
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_PAUSED_TRIGGER_GRPS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllPauses
-- Index: PRIMARY of QRTZ_X_PAUSES, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PAUSES AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_DECLARED AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllRuns
-- Index: PRIMARY of QRTZ_X_RUNS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllHeld
-- Index: PRIMARY of QRTZ_X_HELD, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_HELD AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllRates
-- Index: PRIMARY of QRTZ_X_RATES, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_RATES AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllPutOff
-- Index: PRIMARY of QRTZ_X_PUT_OFF, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PUT_OFF AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllWaiters
-- Index: PRIMARY of QRTZ_X_WAITERS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_WAITERS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllPlaces
-- Index: PRIMARY of QRTZ_X_PLACES, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PLACES AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllMisfired
-- Index: PRIMARY of QRTZ_X_MISFIRED, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_MISFIRED AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllCheckpoints
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_CHECKPOINTS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllActions
-- Index: PRIMARY of QRTZ_X_ACTIONS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_ACTIONS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllSessions
-- Index: PRIMARY of QRTZ_X_SESSIONS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_SESSIONS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllParts
-- Index: PRIMARY of QRTZ_X_PARTS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PARTS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllProgress
-- Index: PRIMARY of QRTZ_X_PROGRESS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_PROGRESS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_EXPECTATIONS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllSchedulerState
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_SCHEDULER_STATE AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllNodes
-- Index: PRIMARY of QRTZ_X_NODES, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_NODES AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllMeta
-- Index: PRIMARY of QRTZ_X_META, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_X_META AS t
WHERE t.SCHED_NAME = :schedName;

-- name: deleteAllLocks
-- Index: PRIMARY of QRTZ_LOCKS, its first column. Locks: the rows deleted.
DELETE FROM QRTZ_LOCKS AS t
WHERE t.SCHED_NAME = :schedName;

-- name: upsertExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS job_name,
         value ->> 4 AS job_group,
         value ->> 5 AS within_ms,
         value ->> 6 AS since_time,
         value ->> 7 AS due_time
  FROM json_each(:rows))
INSERT INTO QRTZ_X_EXPECTATIONS
      (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER, JOB_NAME, JOB_GROUP, WITHIN_MS, SINCE_TIME, DUE_TIME, LAST_SUCCESS, NOTIFIED)
SELECT :schedName, r.owner_name, r.owner_group, r.owner, r.job_name, r.job_group, r.within_ms, r.since_time, r.due_time, NULL, '0'
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER) DO UPDATE SET
  JOB_NAME = excluded.JOB_NAME,
  JOB_GROUP = excluded.JOB_GROUP,
  WITHIN_MS = excluded.WITHIN_MS,
  SINCE_TIME = excluded.SINCE_TIME,
  DUE_TIME = excluded.DUE_TIME,
  LAST_SUCCESS = NULL,
  NOTIFIED = '0';

-- name: changeExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS within_ms
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET WITHIN_MS = r.within_ms, DUE_TIME = t.SINCE_TIME + r.within_ms, NOTIFIED = '0'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner;

-- name: meetExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS success
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET LAST_SUCCESS = r.success, SINCE_TIME = r.success, DUE_TIME = r.success + t.WITHIN_MS, NOTIFIED = '0'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner
  AND (t.LAST_SUCCESS IS NULL
   OR t.LAST_SUCCESS < r.success);

-- name: selectNextExpectation
-- Index: IDX_QRTZ_X_E_D, without reading a row.
SELECT t.DUE_TIME
FROM QRTZ_X_EXPECTATIONS AS t INDEXED BY IDX_QRTZ_X_E_D
WHERE t.SCHED_NAME = :schedName
  AND t.NOTIFIED = '0'
ORDER BY t.DUE_TIME
LIMIT 1;

-- name: selectDueExpectations
-- Index: IDX_QRTZ_X_E_D in its order.
SELECT t.OWNER, t.OWNER_NAME, t.OWNER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.WITHIN_MS, t.SINCE_TIME, t.LAST_SUCCESS
FROM QRTZ_X_EXPECTATIONS AS t INDEXED BY IDX_QRTZ_X_E_D
WHERE t.SCHED_NAME = :schedName
  AND t.NOTIFIED = :isNotified
  AND t.DUE_TIME <= :now
ORDER BY t.DUE_TIME
LIMIT :limit + 0;

-- name: notifyExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS due_time
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET NOTIFIED = '1'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner
  AND +t.NOTIFIED = '0'
  AND +t.DUE_TIME = r.due_time;

-- name: deleteExpectations
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS due_time
  FROM json_each(:rows))
DELETE FROM QRTZ_X_EXPECTATIONS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.OWNER_NAME, t.OWNER_GROUP, t.OWNER, +t.DUE_TIME) IN (SELECT r.owner_name, r.owner_group, r.owner, r.due_time FROM r);

-- name: markExecuting
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS entry_id,
         value ->> 1 AS scheduled_time,
         value ->> 2 AS job_name,
         value ->> 3 AS job_group,
         value ->> 4 AS is_nonconcurrent,
         value ->> 5 AS requests_recovery
  FROM json_each(:rows))
UPDATE QRTZ_FIRED_TRIGGERS AS t
SET STATE = 'EXECUTING',
    FIRED_TIME = :now,
    SCHED_TIME = r.scheduled_time,
    JOB_NAME = r.job_name,
    JOB_GROUP = r.job_group,
    IS_NONCONCURRENT = r.is_nonconcurrent,
    REQUESTS_RECOVERY = r.requests_recovery
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.ENTRY_ID = r.entry_id
  AND +t.INSTANCE_NAME = :instanceId
  AND +t.STATE = 'ACQUIRED';

-- name: deleteReservations
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENTRY_ID IN (SELECT r.entry_id FROM r)
  AND +t.INSTANCE_NAME = :instanceId
  AND +t.STATE = 'ACQUIRED';

-- name: blockTriggers
-- Index: IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED');

-- name: markFiringsNonConcurrent
-- Index: IDX_QRTZ_FT_J_G. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_FIRED_TRIGGERS AS t INDEXED BY IDX_QRTZ_FT_J_G
SET IS_NONCONCURRENT = '1'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.STATE = 'EXECUTING';

-- name: deleteReservationsOfJobs
-- Index: IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G, PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT f.ENTRY_ID
                   FROM r
                   CROSS JOIN QRTZ_TRIGGERS AS t
                     ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
                   CROSS JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
                     ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
                   WHERE f.STATE = 'ACQUIRED');

-- name: selectTriggerGroups
-- Index: IDX_QRTZ_T_G, jumping from group to group; MariaDB 10.11 reads all of the scheduler's entries.
SELECT DISTINCT TRIGGER_GROUP
FROM QRTZ_TRIGGERS INDEXED BY IDX_QRTZ_T_G
WHERE SCHED_NAME = :schedName;

-- name: selectTriggerGroupBehind
-- Index: IDX_QRTZ_T_G, one entry.
SELECT TRIGGER_GROUP
FROM QRTZ_TRIGGERS INDEXED BY IDX_QRTZ_T_G
WHERE SCHED_NAME = :schedName
  AND TRIGGER_GROUP > :afterGroup
ORDER BY TRIGGER_GROUP
LIMIT 1;

-- name: selectJobGroups
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT DISTINCT JOB_GROUP
FROM QRTZ_JOB_DETAILS
WHERE SCHED_NAME = :schedName;

-- name: selectPausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
SELECT TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS
WHERE SCHED_NAME = :schedName;

-- name: selectAnyPausedOf
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
SELECT 1 AS FOUND
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName
  AND g.TRIGGER_GROUP IN (SELECT n.value FROM json_each(:rows) AS n)
LIMIT 1;

-- name: insertPausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
INSERT INTO QRTZ_PAUSED_TRIGGER_GRPS
      (SCHED_NAME, TRIGGER_GROUP)
SELECT :schedName, r.trigger_group
FROM r;

-- name: deletePausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_PAUSED_TRIGGER_GRPS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP IN (SELECT r.trigger_group FROM r);

-- name: selectJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
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

-- name: selectUnlockedJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT j.JOB_NAME, j.JOB_GROUP, j.JOB_DATA AS DETAIL_DATA
FROM r
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = r.sched_name AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group;

-- name: selectAnyOtherThan
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group,
         value ->> 2 AS as_read
  FROM json_each(:rows))
SELECT 1 AS FOUND
FROM r
WHERE NOT EXISTS (SELECT 1
                  FROM QRTZ_JOB_DETAILS AS j
                  WHERE j.SCHED_NAME = r.sched_name AND j.JOB_NAME = r.job_name AND j.JOB_GROUP = r.job_group
                    AND HEX(j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY) || ',' || HEX(j.JOB_CLASS_NAME) || ',' || CASE WHEN j.DESCRIPTION IS NULL THEN 'NULL' ELSE HEX(j.DESCRIPTION) END || ',' || CASE WHEN j.JOB_DATA IS NULL THEN 'NULL' ELSE HEX(j.JOB_DATA) END = r.as_read)
LIMIT 1;

-- name: selectExecutingJobs
-- Index: IDX_QRTZ_FT_J_G. Locks: the fired rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT f.JOB_NAME, f.JOB_GROUP
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_J_G
  ON f.SCHED_NAME = r.sched_name AND f.JOB_NAME = r.job_name AND f.JOB_GROUP = r.job_group
WHERE f.STATE = 'EXECUTING';

-- name: countTriggersOfJobs
-- Index: IDX_QRTZ_T_J, without reading a trigger.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP, COUNT(*) AS TRIGGERS
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
GROUP BY r.job_name, r.job_group;

-- name: insertJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
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
SELECT :schedName, r.job_name, r.job_group, r.description, r.job_type, r.is_durable, r.is_nonconcurrent,
       r.is_update_data, r.requests_recovery, unhex(r.job_data)
FROM r;

-- name: insertJob
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the row inserted.
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, DESCRIPTION, JOB_DATA)
VALUES (:schedName, :jobName, :jobGroup, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
        :requestsRecovery, :description, unhex(:jobData));

-- name: insertAlikeJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:rows))
INSERT INTO QRTZ_JOB_DETAILS
      (SCHED_NAME, JOB_NAME, JOB_GROUP, DESCRIPTION, JOB_CLASS_NAME, IS_DURABLE, IS_NONCONCURRENT, IS_UPDATE_DATA,
       REQUESTS_RECOVERY, JOB_DATA)
SELECT :schedName, r.job_name, r.job_group, :description, :jobType, :isDurable, :isNonconcurrent, :isUpdateData,
       :requestsRecovery, unhex(:jobData)
FROM r;

-- name: updateJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
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
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows changed.
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
-- Index: PRIMARY of QRTZ_JOB_DETAILS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
DELETE FROM QRTZ_JOB_DETAILS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.JOB_NAME, t.JOB_GROUP) IN (SELECT r.job_name, r.job_group FROM r);

-- name: deleteOrphanJobs
-- Index: PRIMARY of QRTZ_JOB_DETAILS, IDX_QRTZ_T_J. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:rows))
DELETE FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) IN (SELECT r.job_name, r.job_group FROM r)
  AND +j.IS_DURABLE = '0'
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_TRIGGERS AS t
                  WHERE t.SCHED_NAME = j.SCHED_NAME
                    AND t.JOB_NAME = j.JOB_NAME
                    AND t.JOB_GROUP = j.JOB_GROUP);

-- name: selectJobsOfGroups
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND j.JOB_GROUP IN (SELECT value FROM json_each(:rows));

-- name: countHeld
-- Index: PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS limit_key,
         value ->> 1 AS room
  FROM json_each(:rows))
SELECT r.limit_key AS LIMIT_KEY,
       COALESCE((SELECT CASE WHEN COUNT(*) <= r.room THEN COUNT(*) END
                 FROM QRTZ_X_HELD AS h
                 WHERE h.SCHED_NAME = r.sched_name
                   AND h.LIMIT_KEY = r.limit_key),
                (SELECT COUNT(*)
                 FROM QRTZ_X_HELD AS h
                 LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
                   ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
                 LEFT JOIN QRTZ_X_PARTS AS p
                   ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
                 WHERE h.SCHED_NAME = r.sched_name
                   AND h.LIMIT_KEY = r.limit_key
                   AND (f.ENTRY_ID IS NOT NULL OR p.OCCURRENCE_ID IS NOT NULL))) AS HELD
FROM r;

-- name: selectHolders
-- Index: PRIMARY of QRTZ_X_HELD and QRTZ_FIRED_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS limit_key
  FROM json_each(:rows))
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM r
CROSS JOIN QRTZ_X_HELD AS h
  ON h.SCHED_NAME = r.sched_name AND h.LIMIT_KEY = r.limit_key
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID;

-- name: countQueued
-- Index: PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS limit_key
  FROM json_each(:rows))
SELECT h.LIMIT_KEY, COUNT(*) AS QUEUED
FROM r
CROSS JOIN QRTZ_X_HELD AS h
  ON h.SCHED_NAME = r.sched_name AND h.LIMIT_KEY = r.limit_key
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = :prefix || h.ENTRY_ID AND t.TRIGGER_GROUP = :deferredGroup
WHERE f.ENTRY_ID IS NOT NULL
   OR t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
GROUP BY h.LIMIT_KEY;

-- name: insertHeld
-- Index: PRIMARY of QRTZ_X_HELD. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS limit_key,
         value ->> 1 AS entry_id
  FROM json_each(:rows))
INSERT INTO QRTZ_X_HELD (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
SELECT :schedName, r.limit_key, r.entry_id
FROM r;

-- name: deleteHeld
-- Index: PRIMARY of QRTZ_X_HELD. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS limit_key,
         value ->> 1 AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_X_HELD AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.LIMIT_KEY, t.ENTRY_ID) IN (SELECT r.limit_key, r.entry_id FROM r);

-- name: selectEndedHeld
-- Index: PRIMARY of QRTZ_X_HELD, its first column, of QRTZ_FIRED_TRIGGERS, QRTZ_X_PARTS and QRTZ_TRIGGERS.
SELECT h.LIMIT_KEY, h.ENTRY_ID
FROM QRTZ_X_HELD AS h
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
LEFT JOIN QRTZ_X_PARTS AS p
  ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = :prefix || h.ENTRY_ID AND t.TRIGGER_GROUP = :deferredGroup
WHERE h.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
  AND p.OCCURRENCE_ID IS NULL
  AND t.TRIGGER_NAME IS NULL
LIMIT :limit + 0;

-- name: upsertWaiters
-- Index: PRIMARY of QRTZ_X_WAITERS. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS limit_key,
         value ->> 3 AS max_running,
         value ->> 4 AS next_fire_time
  FROM json_each(:rows))
INSERT INTO QRTZ_X_WAITERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, LIMIT_KEY, MAX_RUNNING, NEXT_FIRE_TIME)
SELECT :schedName, r.trigger_name, r.trigger_group, r.limit_key, r.max_running, r.next_fire_time
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  LIMIT_KEY = excluded.LIMIT_KEY,
  MAX_RUNNING = excluded.MAX_RUNNING,
  NEXT_FIRE_TIME = excluded.NEXT_FIRE_TIME;

-- name: selectWaiters
-- Index: IDX_QRTZ_X_W_K in its order, PRIMARY of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP, w.NEXT_FIRE_TIME, t.TRIGGER_STATE
FROM QRTZ_X_WAITERS AS w INDEXED BY IDX_QRTZ_X_W_K
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND w.LIMIT_KEY = :limitKey
ORDER BY w.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: selectAwaitedLimits
-- Index: IDX_QRTZ_X_W_K, its first entry of each key.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS limit_key
  FROM json_each(:rows))
SELECT r.limit_key AS LIMIT_KEY
FROM r
WHERE (SELECT w.LIMIT_KEY
       FROM QRTZ_X_WAITERS AS w INDEXED BY IDX_QRTZ_X_W_K
       WHERE w.SCHED_NAME = r.sched_name
         AND w.LIMIT_KEY = r.limit_key
       LIMIT 1) IS NOT NULL;

-- name: deleteWaiters
-- Index: PRIMARY of QRTZ_X_WAITERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_WAITERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: selectIdleLimits
-- Index: IDX_QRTZ_X_W_K, its first column, PRIMARY of QRTZ_X_HELD, QRTZ_FIRED_TRIGGERS and QRTZ_X_PARTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS limit_key,
         value ->> 1 AS max_running
  FROM json_each(:rows))
SELECT w.LIMIT_KEY, COALESCE(MAX(r.max_running), MAX(w.MAX_RUNNING)) AS MAX_RUNNING,
       (SELECT COUNT(*)
        FROM QRTZ_X_HELD AS h
        LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
          ON f.SCHED_NAME = h.SCHED_NAME AND f.ENTRY_ID = h.ENTRY_ID
        LEFT JOIN QRTZ_X_PARTS AS p
          ON p.SCHED_NAME = h.SCHED_NAME AND p.OCCURRENCE_ID = h.ENTRY_ID
        WHERE h.SCHED_NAME = :schedName
          AND h.LIMIT_KEY = w.LIMIT_KEY
          AND (f.ENTRY_ID IS NOT NULL OR p.OCCURRENCE_ID IS NOT NULL)) AS HELD
FROM QRTZ_X_WAITERS AS w INDEXED BY IDX_QRTZ_X_W_K
LEFT JOIN r
  ON r.limit_key = w.LIMIT_KEY
WHERE w.SCHED_NAME = :schedName
GROUP BY w.LIMIT_KEY
HAVING HELD < COALESCE(MAX(r.max_running), MAX(w.MAX_RUNNING))
LIMIT :limit + 0;

-- name: listJobKeys
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
AND (j.JOB_NAME, j.JOB_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
  AND (:group IS NULL OR CASE j.JOB_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR j.JOB_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:jobType IS NULL OR j.JOB_CLASS_NAME = :jobType)
  AND (:search IS NULL OR INSTR(LOWER(j.JOB_GROUP || '/' || j.JOB_NAME), :search) > 0)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT :take + 0;

-- name: selectJobBoundary
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT 1 OFFSET :scanned + 0;

-- name: listTriggerKeys
-- Index: PRIMARY of QRTZ_TRIGGERS; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take + 0;

-- name: listTriggerKeysOfJob
-- Index: IDX_QRTZ_T_J, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take + 0;

-- name: listTriggerKeysOfCalendar
-- Index: IDX_QRTZ_T_C, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_C
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take + 0;

-- name: listTriggerKeysOfGroup
-- Index: IDX_QRTZ_T_G, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
ORDER BY t.TRIGGER_NAME
LIMIT :take + 0;

-- name: listTriggerKeysOfGroupAlone
-- Index: IDX_QRTZ_T_G, whose entries end with the primary key.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
ORDER BY t.TRIGGER_NAME
LIMIT :take + 0;

-- name: listTriggerKeysInState
-- Index: IDX_QRTZ_T_NFT_ST; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take + 0;

-- name: listTriggerTimes
-- Index: IDX_QRTZ_T_NFT_ST; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take + 0;

-- name: listTriggerTimesAlone
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take + 0;

-- name: listTriggerTimesOfJob
-- Index: IDX_QRTZ_T_J; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take + 0;

-- name: listTriggerTimesOfCalendar
-- Index: IDX_QRTZ_T_C; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_C
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN (SELECT value FROM json_each(:groups)))
  AND (:search IS NULL OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0)
AND (:states IS NULL OR t.TRIGGER_STATE IN (SELECT value FROM json_each(:states)))
AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take + 0;

-- name: countTriggersInState
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = :state
      LIMIT :most + 0) AS c;

-- name: countTriggersOfJob
-- Index: IDX_QRTZ_T_J.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
      WHERE t.SCHED_NAME = :schedName
        AND t.JOB_NAME = :jobName
        AND t.JOB_GROUP = :jobGroup
      LIMIT :most + 0) AS c;

-- name: countTriggersOfCalendar
-- Index: IDX_QRTZ_T_C.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_C
      WHERE t.SCHED_NAME = :schedName
        AND t.CALENDAR_NAME = :calendarName
      LIMIT :most + 0) AS c;

-- name: selectTriggerBoundary
-- Index: PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned + 0;

-- name: selectTriggerBoundaryOfJob
-- Index: IDX_QRTZ_T_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned + 0;

-- name: selectTriggerBoundaryOfCalendar
-- Index: IDX_QRTZ_T_C.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_C
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned + 0;

-- name: selectTriggerBoundaryOfGroup
-- Index: IDX_QRTZ_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME
LIMIT 1 OFFSET :scanned + 0;

-- name: selectTriggerTimeBoundary
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
ORDER BY t.NEXT_FIRE_TIME
LIMIT 1 OFFSET :scanned + 0;

-- name: selectLock
-- Index: PRIMARY. Locks: one row of QRTZ_LOCKS.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName;

-- name: advanceLock
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'lock.' || :lockName, '1')
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = QRTZ_X_META.META_VALUE + 1;

-- name: insertLocks
-- Index: PRIMARY.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS lock_name
  FROM json_each(:rows))
INSERT INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
SELECT :schedName, r.lock_name
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, LOCK_NAME) DO NOTHING;

-- name: selectLockNames
-- Index: PRIMARY, its first column.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName;

-- name: sharePausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows found, shared; under REPEATABLE READ also the gaps where rows are missing.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS trigger_group
  FROM json_each(:rows))
SELECT g.TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_PAUSED_TRIGGER_GRPS AS g
  ON g.SCHED_NAME = r.sched_name AND g.TRIGGER_GROUP = r.trigger_group;

-- name: shareCalendars
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows found, shared; under REPEATABLE READ also the gaps where rows are missing.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS calendar_name
  FROM json_each(:rows))
SELECT k.CALENDAR_NAME
FROM r
CROSS JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = r.sched_name AND k.CALENDAR_NAME = r.calendar_name;

-- name: insertMeta
-- Index: PRIMARY of QRTZ_X_META. Locks: the row inserted.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :metaKey, :value)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_KEY = excluded.META_KEY;

-- name: selectMeta
-- Index: PRIMARY of QRTZ_X_META.
SELECT m.META_VALUE
FROM QRTZ_X_META AS m
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :metaKey;

-- name: upsertMeta
-- Index: PRIMARY of QRTZ_X_META. Locks: the row written.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, :metaKey, :value)
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = excluded.META_VALUE;

-- name: exchangeMeta
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
UPDATE QRTZ_X_META AS m
SET META_VALUE = :value
WHERE m.SCHED_NAME = :schedName
  AND m.META_KEY = :metaKey
  AND m.META_VALUE = :expected;

-- name: upsertMisfired
-- Index: PRIMARY of QRTZ_X_MISFIRED. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS priority,
         value ->> 3 AS next_fire_time,
         value ->> 4 AS first_due_time
  FROM json_each(:rows))
INSERT INTO QRTZ_X_MISFIRED (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PRIORITY, NEXT_FIRE_TIME, FIRST_DUE_TIME)
SELECT :schedName, r.trigger_name, r.trigger_group, r.priority, r.next_fire_time, r.first_due_time
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  PRIORITY = excluded.PRIORITY,
  NEXT_FIRE_TIME = excluded.NEXT_FIRE_TIME,
  FIRST_DUE_TIME = excluded.FIRST_DUE_TIME;

-- name: deleteMisfired
-- Index: PRIMARY of QRTZ_X_MISFIRED. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_MISFIRED AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: selectStaleMisfired
-- Index: PRIMARY of QRTZ_X_MISFIRED, its first column, and of QRTZ_TRIGGERS.
SELECT m.TRIGGER_NAME, m.TRIGGER_GROUP
FROM QRTZ_X_MISFIRED AS m
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = m.SCHED_NAME AND t.TRIGGER_NAME = m.TRIGGER_NAME AND t.TRIGGER_GROUP = m.TRIGGER_GROUP
WHERE m.SCHED_NAME = :schedName
  AND (t.NEXT_FIRE_TIME IS NULL OR t.NEXT_FIRE_TIME <> m.NEXT_FIRE_TIME)
LIMIT :limit + 0;

-- name: insertParts
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS trigger_name,
         value ->> 2 AS trigger_group,
         value ->> 3 AS job_name,
         value ->> 4 AS job_group,
         value ->> 5 AS scheduled_time,
         value ->> 6 AS started_time,
         value ->> 7 AS parts,
         value ->> 8 AS remaining,
         value ->> 9 AS failed,
         value ->> 10 AS is_broadcast
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PARTS
      (SCHED_NAME, OCCURRENCE_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, SCHED_TIME, STARTED_TIME, PARTS,
       REMAINING, FAILED, IS_BROADCAST)
SELECT :schedName, r.occurrence_id, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.scheduled_time, r.started_time,
       r.parts, r.remaining, r.failed, r.is_broadcast
FROM r;

-- name: selectParts
-- Index: PRIMARY of QRTZ_X_PARTS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS occurrence_id
  FROM json_each(:rows))
SELECT p.OCCURRENCE_ID, p.TRIGGER_NAME, p.TRIGGER_GROUP, p.JOB_NAME, p.JOB_GROUP, p.SCHED_TIME, p.STARTED_TIME, p.PARTS,
       p.REMAINING, p.FAILED, p.IS_BROADCAST
FROM r
CROSS JOIN QRTZ_X_PARTS AS p
  ON p.SCHED_NAME = r.sched_name AND p.OCCURRENCE_ID = r.occurrence_id;

-- name: selectOccurrences
-- Index: PRIMARY of QRTZ_X_PARTS, from an id on.
SELECT p.OCCURRENCE_ID, p.TRIGGER_NAME, p.TRIGGER_GROUP, p.JOB_NAME, p.JOB_GROUP, p.SCHED_TIME, p.STARTED_TIME, p.PARTS,
       p.REMAINING, p.FAILED, p.IS_BROADCAST
FROM QRTZ_X_PARTS AS p
WHERE p.SCHED_NAME = :schedName
  AND p.OCCURRENCE_ID > :afterId
ORDER BY p.OCCURRENCE_ID
LIMIT :limit + 0;

-- name: updateParts
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS from_remaining,
         value ->> 2 AS remaining,
         value ->> 3 AS failed
  FROM json_each(:rows))
UPDATE QRTZ_X_PARTS AS p
SET REMAINING = r.remaining,
    FAILED = r.failed
FROM r
WHERE p.SCHED_NAME = r.sched_name
  AND p.OCCURRENCE_ID = r.occurrence_id
  AND +p.REMAINING = r.from_remaining;

-- name: deleteParts
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS occurrence_id,
         value ->> 1 AS from_remaining
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PARTS AS p
WHERE p.SCHED_NAME = :schedName
  AND (p.OCCURRENCE_ID, +p.REMAINING) IN (SELECT r.occurrence_id, r.from_remaining FROM r);

-- name: countPartsLeft
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G.
SELECT (SELECT COUNT(*)
        FROM QRTZ_TRIGGERS AS t
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_NAME >= :firstName
          AND t.TRIGGER_NAME < :endName
          AND t.TRIGGER_GROUP = 'SHARDED_JOBS'
          AND t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR'))
       + (SELECT COUNT(*)
          FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
          WHERE f.SCHED_NAME = :schedName
            AND f.TRIGGER_NAME >= :firstName
            AND f.TRIGGER_NAME < :endName
            AND f.TRIGGER_GROUP = 'SHARDED_JOBS'
            AND NOT EXISTS (SELECT 1
                            FROM QRTZ_TRIGGERS AS o
                            WHERE o.SCHED_NAME = f.SCHED_NAME
                              AND o.TRIGGER_NAME = f.TRIGGER_NAME
                              AND o.TRIGGER_GROUP = f.TRIGGER_GROUP
                              AND o.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR'))) AS PARTS_LEFT;

-- name: selectFurtherRunsOfJob
-- Index: IDX_QRTZ_T_G, IDX_QRTZ_FT_T_G, IDX_QRTZ_FT_J_G, PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_DATA, 1 AS IS_STORED
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS')
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND (t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
       OR EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_T_G
                  WHERE f.SCHED_NAME = t.SCHED_NAME
                    AND f.TRIGGER_NAME = t.TRIGGER_NAME
                    AND f.TRIGGER_GROUP = t.TRIGGER_GROUP))
UNION ALL
SELECT f.TRIGGER_NAME, f.TRIGGER_GROUP, NULL AS JOB_DATA, 0 AS IS_STORED
FROM QRTZ_FIRED_TRIGGERS AS f INDEXED BY IDX_QRTZ_FT_J_G
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = f.SCHED_NAME AND t.TRIGGER_NAME = f.TRIGGER_NAME AND t.TRIGGER_GROUP = f.TRIGGER_GROUP
WHERE f.SCHED_NAME = :schedName
  AND f.JOB_NAME = :jobName
  AND f.JOB_GROUP = :jobGroup
  AND f.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS')
  AND t.SCHED_NAME IS NULL;

-- name: selectPauses
-- Index: PRIMARY of QRTZ_X_PAUSES, its first column.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName;

-- name: selectElapsedPauses
-- Index: IDX_QRTZ_X_PS_U.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES INDEXED BY IDX_QRTZ_X_PS_U
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME <= :now;

-- name: selectNextPauseEnd
-- Index: IDX_QRTZ_X_PS_U, one entry.
SELECT UNTIL_TIME
FROM QRTZ_X_PAUSES INDEXED BY IDX_QRTZ_X_PS_U
WHERE SCHED_NAME = :schedName
  AND UNTIL_TIME > :now
ORDER BY UNTIL_TIME
LIMIT 1;

-- name: selectPausePage
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName
  AND (TARGET, TARGET_GROUP, TARGET_NAME) > (:afterTarget, :afterGroup, :afterName)
ORDER BY TARGET, TARGET_GROUP, TARGET_NAME
LIMIT :take + 0;

-- name: selectPausesOfGroups
-- Index: PRIMARY of QRTZ_X_PAUSES.
SELECT TARGET, TARGET_GROUP, TARGET_NAME, REASON, PAUSED_BY, SINCE_TIME, UNTIL_TIME, HOLDS_RETRIES
FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName
  AND TARGET IN ('triggers', 'jobs');

-- name: selectPausesOfKeys
-- Index: PRIMARY of QRTZ_X_PAUSES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS target,
         value ->> 1 AS target_group,
         value ->> 2 AS target_name
  FROM json_each(:rows))
SELECT t.TARGET, t.TARGET_GROUP, t.TARGET_NAME, t.REASON, t.PAUSED_BY, t.SINCE_TIME, t.UNTIL_TIME, t.HOLDS_RETRIES
FROM r
CROSS JOIN QRTZ_X_PAUSES AS t
  ON t.SCHED_NAME = r.sched_name AND t.TARGET = r.target AND t.TARGET_GROUP = r.target_group AND t.TARGET_NAME = r.target_name;

-- name: insertPauses
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows inserted.
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
SELECT :schedName, r.target, r.target_group, r.target_name, r.reason, r.paused_by, r.since_time, r.until_time, r.holds_retries
FROM r;

-- name: deletePauses
-- Index: PRIMARY of QRTZ_X_PAUSES. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS target,
         value ->> 1 AS target_group,
         value ->> 2 AS target_name
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PAUSES AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TARGET, t.TARGET_GROUP, t.TARGET_NAME) IN (SELECT r.target, r.target_group, r.target_name FROM r);

-- name: selectPausedJobs
-- Index: IDX_QRTZ_T_J, up to the first paused trigger of each.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT r.job_name AS JOB_NAME, r.job_group AS JOB_GROUP
FROM r
WHERE (
  SELECT 1 FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  WHERE t.SCHED_NAME = r.sched_name
    AND t.JOB_NAME = r.job_name
    AND t.JOB_GROUP = r.job_group
    AND t.TRIGGER_STATE IN ('PAUSED', 'PAUSED_BLOCKED')
  LIMIT 1) IS NOT NULL;

-- name: upsertPlaces
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS runs_on,
         value ->> 3 AS prefers,
         value ->> 4 AS fallback_after
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PLACES (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RUNS_ON, PREFERS, FALLBACK_AFTER)
SELECT :schedName, r.trigger_name, r.trigger_group, r.runs_on, r.prefers, r.fallback_after
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  RUNS_ON = excluded.RUNS_ON,
  PREFERS = excluded.PREFERS,
  FALLBACK_AFTER = excluded.FALLBACK_AFTER;

-- name: deletePlaces
-- Index: PRIMARY of QRTZ_X_PLACES. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PLACES AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: selectStalePlaces
-- Index: PRIMARY of QRTZ_X_PLACES, its first column, and of QRTZ_TRIGGERS.
SELECT w.TRIGGER_NAME, w.TRIGGER_GROUP
FROM QRTZ_X_PLACES AS w
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = w.SCHED_NAME AND t.TRIGGER_NAME = w.TRIGGER_NAME AND t.TRIGGER_GROUP = w.TRIGGER_GROUP
WHERE w.SCHED_NAME = :schedName
  AND t.SCHED_NAME IS NULL
LIMIT :limit + 0;

-- name: upsertProgress
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS entry_id,
         value ->> '$[1][0]' AS fraction,
         value ->> '$[2][0]' AS message,
         value ->> '$[3][0]' AS line_list,
         value ->> '$[4][0]' AS updated_time,
         value ->> '$[5][0]' AS interrupted_time,
         value ->> '$[6][0]' AS interrupted_by
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PROGRESS (SCHED_NAME, ENTRY_ID, FRACTION, MESSAGE, LOG_LINES, UPDATED_TIME, INTERRUPTED_TIME, INTERRUPTED_BY)
SELECT :schedName, r.entry_id, r.fraction, r.message, r.line_list, r.updated_time, r.interrupted_time, r.interrupted_by
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id
WHERE f.INSTANCE_NAME = :instanceId
ON CONFLICT (SCHED_NAME, ENTRY_ID) DO UPDATE SET
  FRACTION = excluded.FRACTION,
  MESSAGE = excluded.MESSAGE,
  LOG_LINES = excluded.LOG_LINES,
  UPDATED_TIME = excluded.UPDATED_TIME,
  INTERRUPTED_TIME = excluded.INTERRUPTED_TIME,
  INTERRUPTED_BY = excluded.INTERRUPTED_BY;

-- name: deleteProgress
-- Index: PRIMARY of QRTZ_X_PROGRESS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PROGRESS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENTRY_ID IN (SELECT r.entry_id FROM r);

-- name: selectEndedProgress
-- Index: PRIMARY of QRTZ_X_PROGRESS, its first column, and of QRTZ_FIRED_TRIGGERS.
SELECT p.ENTRY_ID
FROM QRTZ_X_PROGRESS AS p
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
LIMIT :limit + 0;

-- name: selectRunning
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS entry_id
  FROM json_each(:rows))
SELECT f.INSTANCE_NAME, f.JOB_NAME, f.JOB_GROUP, f.FIRED_TIME, p.FRACTION, p.MESSAGE, p.UPDATED_TIME, p.LOG_LINES
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id
LEFT JOIN QRTZ_X_PROGRESS AS p
  ON p.SCHED_NAME = f.SCHED_NAME AND p.ENTRY_ID = f.ENTRY_ID
WHERE f.STATE = 'EXECUTING';

-- name: selectRates
-- Index: PRIMARY of QRTZ_X_RATES.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS rate_key
  FROM json_each(:rows))
SELECT t.RATE_KEY, t.STATE
FROM r
CROSS JOIN QRTZ_X_RATES AS t
  ON t.SCHED_NAME = r.sched_name AND t.RATE_KEY = r.rate_key;

-- name: upsertRates
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows written.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS rate_key,
         value ->> 1 AS state,
         value ->> 2 AS idle_time
  FROM json_each(:rows))
INSERT INTO QRTZ_X_RATES (SCHED_NAME, RATE_KEY, STATE, IDLE_TIME)
SELECT :schedName, r.rate_key, r.state, r.idle_time
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, RATE_KEY) DO UPDATE SET
  STATE = excluded.STATE,
  IDLE_TIME = excluded.IDLE_TIME;

-- name: selectLine
-- Index: IDX_QRTZ_X_PO_K in its order, PRIMARY of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP, p.DUE_TIME, t.TRIGGER_STATE, t.NEXT_FIRE_TIME
FROM QRTZ_X_PUT_OFF AS p INDEXED BY IDX_QRTZ_X_PO_K
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND p.RATE_KEY = :rateKey
  AND (t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED') OR (t.TRIGGER_STATE IS NULL AND f.ENTRY_ID IS NOT NULL))
ORDER BY p.DUE_TIME, p.TRIGGER_NAME, p.TRIGGER_GROUP
LIMIT :limit + 0;

-- name: insertPutOff
-- Index: PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS rate_key,
         value ->> 3 AS due_time,
         value ->> 4 AS entry_id
  FROM json_each(:rows))
INSERT INTO QRTZ_X_PUT_OFF (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, RATE_KEY, DUE_TIME, ENTRY_ID)
SELECT :schedName, r.trigger_name, r.trigger_group, r.rate_key, r.due_time, r.entry_id
FROM r;

-- name: deletePutOff
-- Index: PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_X_PUT_OFF AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: moveTurns
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS from_state,
         value ->> 3 AS from_time,
         value ->> 4 AS to_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING',
    NEXT_FIRE_TIME = r.to_time
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.TRIGGER_STATE = r.from_state
  AND +t.NEXT_FIRE_TIME = r.from_time;

-- name: selectRipe
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_X_PUT_OFF.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, p.DUE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_X_PUT_OFF AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > :after
  AND t.NEXT_FIRE_TIME <= :now
  AND p.DUE_TIME < t.NEXT_FIRE_TIME
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: recallTurns
-- Index: IDX_QRTZ_T_J, PRIMARY of QRTZ_X_PUT_OFF. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET NEXT_FIRE_TIME = p.DUE_TIME
FROM QRTZ_X_PUT_OFF AS p
WHERE t.SCHED_NAME = :schedName
  AND (t.JOB_NAME, t.JOB_GROUP) IN (SELECT r.job_name, r.job_group FROM r)
  AND p.SCHED_NAME = :schedName
  AND p.TRIGGER_NAME = t.TRIGGER_NAME
  AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME > p.DUE_TIME;

-- name: selectStalePutOff
-- Index: PRIMARY of QRTZ_X_PUT_OFF, its first column, of QRTZ_TRIGGERS and QRTZ_FIRED_TRIGGERS.
SELECT p.TRIGGER_NAME, p.TRIGGER_GROUP
FROM QRTZ_X_PUT_OFF AS p
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME IS NULL
  AND f.ENTRY_ID IS NULL
LIMIT :limit + 0;

-- name: selectLines
-- Index: IDX_QRTZ_X_PO_K, its first columns, PRIMARY of QRTZ_TRIGGERS.
SELECT p.RATE_KEY, MIN(t.NEXT_FIRE_TIME) AS TURN
FROM QRTZ_X_PUT_OFF AS p INDEXED BY IDX_QRTZ_X_PO_K
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = p.SCHED_NAME AND t.TRIGGER_NAME = p.TRIGGER_NAME AND t.TRIGGER_GROUP = p.TRIGGER_GROUP
WHERE p.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED')
GROUP BY p.RATE_KEY
HAVING TURN > :time
LIMIT :limit + 0;

-- name: selectIdleRates
-- Index: IDX_QRTZ_X_RA_N, a range from its beginning.
SELECT t.RATE_KEY
FROM QRTZ_X_RATES AS t INDEXED BY IDX_QRTZ_X_RA_N
WHERE t.SCHED_NAME = :schedName
  AND t.IDLE_TIME < :before
LIMIT :limit + 0;

-- name: deleteIdleRates
-- Index: PRIMARY of QRTZ_X_RATES. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS rate_key
  FROM json_each(:rows))
DELETE FROM QRTZ_X_RATES AS t
WHERE t.SCHED_NAME = :schedName
  AND t.RATE_KEY IN (SELECT r.rate_key FROM r)
  AND +t.IDLE_TIME < :before;

-- name: insertRuns
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS ended_time,
         value ->> 1 AS run_id,
         value ->> 2 AS trigger_name,
         value ->> 3 AS trigger_group,
         value ->> 4 AS job_name,
         value ->> 5 AS job_group,
         value ->> 6 AS job_type,
         value ->> 7 AS instance_name,
         value ->> 8 AS occurrence_id,
         value ->> 9 AS scheduled_time,
         value ->> 10 AS fired_time,
         value ->> 11 AS attempt,
         value ->> 12 AS outcome,
         value ->> 13 AS is_dead_letter,
         value ->> '$[14][0]' AS error_message,
         value ->> '$[15][0]' AS detail
  FROM json_each(:rows))
INSERT INTO QRTZ_X_RUNS
      (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
       OCCURRENCE_ID, SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
SELECT :schedName, r.ended_time, r.run_id, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.job_type,
       r.instance_name, r.occurrence_id, r.scheduled_time, r.fired_time, r.attempt, r.outcome, r.is_dead_letter,
       r.error_message, r.detail
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, ENDED_TIME, RUN_ID) DO UPDATE SET
  RUN_ID = excluded.RUN_ID;

-- name: selectRuns
-- Index: PRIMARY of QRTZ_X_RUNS, backwards.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND LENGTH(t.JOB_NAME) = LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, LENGTH(t.JOB_GROUP) - LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0;

-- name: selectRunsOfJob
-- Index: IDX_QRTZ_X_R_J, backwards.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND LENGTH(t.JOB_NAME) = LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, LENGTH(t.JOB_GROUP) - LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0;

-- name: selectRunsOfTrigger
-- Index: IDX_QRTZ_X_R_T, backwards.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_T
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND LENGTH(t.JOB_NAME) = LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, LENGTH(t.JOB_GROUP) - LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0;

-- name: selectRunsByOutcome
-- Index: IDX_QRTZ_X_R_O, backwards.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND LENGTH(t.JOB_NAME) = LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, LENGTH(t.JOB_GROUP) - LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0;

-- name: selectRunsByIds
-- Index: IDX_QRTZ_X_R_I.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS run_id
  FROM json_each(:rows))
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL
FROM r
CROSS JOIN QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_I
  ON t.SCHED_NAME = r.sched_name AND t.RUN_ID = r.run_id
WHERE 1 = 1
AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND LENGTH(t.JOB_NAME) = LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, LENGTH(t.JOB_GROUP) - LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0;

-- name: selectRunBoundary
-- Index: PRIMARY of QRTZ_X_RUNS, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryByOutcome
-- Index: IDX_QRTZ_X_R_O, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryOfJob
-- Index: IDX_QRTZ_X_R_J, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryOfTrigger
-- Index: IDX_QRTZ_X_R_T, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_T
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectNewestRun
-- Index: PRIMARY of QRTZ_X_RUNS, backwards by its first column: one row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1;

-- name: selectResolvableRuns
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows read.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
SELECT t.RUN_ID, t.IS_DEAD_LETTER
FROM r
CROSS JOIN QRTZ_X_RUNS AS t
  ON t.SCHED_NAME = r.sched_name AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
WHERE (t.IS_DEAD_LETTER = '1' OR SUBSTR(t.DETAIL, 1, LENGTH(:rerunnable)) = :rerunnable);

-- name: resolveRuns
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
UPDATE QRTZ_X_RUNS AS t
SET IS_DEAD_LETTER = '0',
    DETAIL = CASE WHEN SUBSTR(t.DETAIL, 1, LENGTH(:rerunnable)) = :rerunnable
                    THEN :rerun || SUBSTR(t.DETAIL, LENGTH(:rerunnable) + 1)
                    ELSE t.DETAIL END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.ENDED_TIME = r.ended_time
  AND t.RUN_ID = r.run_id
  AND (t.IS_DEAD_LETTER = '1' OR SUBSTR(t.DETAIL, 1, LENGTH(:rerunnable)) = :rerunnable);

-- name: countRuns
-- Index: IDX_QRTZ_X_R_O in its order.
SELECT COUNT(*) AS TOTAL
FROM (SELECT t.RUN_ID
      FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
      WHERE t.SCHED_NAME = :schedName
        AND t.OUTCOME = :outcome
        AND t.IS_DEAD_LETTER = :isDeadLetter
        AND t.ENDED_TIME >= :endTime
        AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
      LIMIT :most + 0) AS r;

-- name: selectRunAfter
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped + 0;

-- name: selectRunEnd
-- Index: PRIMARY of QRTZ_X_RUNS, in its order.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped + 0;

-- name: selectOldRuns
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME < :before
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT :limit + 0;

-- name: deleteRuns
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
DELETE FROM QRTZ_X_RUNS
WHERE rowid IN (SELECT t.rowid
                FROM r
                CROSS JOIN QRTZ_X_RUNS AS t
                  ON t.SCHED_NAME = r.sched_name AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
                WHERE t.IS_DEAD_LETTER = :isDeadLetter);

-- name: insertSession
-- Index: PRIMARY of QRTZ_X_SESSIONS. Locks: the row inserted.
INSERT INTO QRTZ_X_SESSIONS (SCHED_NAME, SESSION_HASH, USER_KIND, USER_NAME, CREDENTIAL_HASH, END_TIME)
VALUES (:schedName, :sessionHash, :userKind, :userName, :credentialHash, :endTime)
ON CONFLICT (SCHED_NAME, SESSION_HASH) DO UPDATE SET
  SESSION_HASH = :sessionHash;

-- name: selectSession
-- Index: PRIMARY of QRTZ_X_SESSIONS.
SELECT s.USER_KIND, s.USER_NAME, s.CREDENTIAL_HASH, s.END_TIME
FROM QRTZ_X_SESSIONS AS s
WHERE s.SCHED_NAME = :schedName
  AND s.SESSION_HASH = :sessionHash;

-- name: deleteSession
-- Index: PRIMARY of QRTZ_X_SESSIONS. Locks: the row deleted.
DELETE FROM QRTZ_X_SESSIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND d.SESSION_HASH = :sessionHash;

-- name: deleteEndedSessions
-- Index: IDX_QRTZ_X_SE_E, a range from its beginning. Locks: the rows deleted.
DELETE FROM QRTZ_X_SESSIONS AS d
WHERE d.SCHED_NAME = :schedName
  AND d.SESSION_HASH IN (SELECT s.SESSION_HASH
                         FROM QRTZ_X_SESSIONS AS s
                         WHERE s.SCHED_NAME = :schedName
                           AND s.END_TIME <= :now
                         ORDER BY s.END_TIME
                         LIMIT :limit + 0);

-- name: selectPlace
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT COUNT(*) AS PEERS,
       COUNT(CASE WHEN s.INSTANCE_NAME < :instanceId THEN 1 END) AS EARLIER
FROM QRTZ_SCHEDULER_STATE AS s
CROSS JOIN QRTZ_X_NODES AS n
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME <> :instanceId
  AND n.STATUS = 'MEMBER'
  AND s.LAST_CHECKIN_TIME + s.CHECKIN_INTERVAL + n.CHECKIN_GRACE >= CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER);

-- name: selectDueForTrain
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES.
SELECT
json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
                  t.PRIORITY, t.TRIGGER_STATE, t.TRIGGER_TYPE, t.START_TIME, t.END_TIME, t.CALENDAR_NAME, t.MISFIRE_INSTR,
                  j.DESCRIPTION, j.JOB_CLASS_NAME,
                  j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY,
                  CASE t.TRIGGER_TYPE
                       WHEN 'SIMPLE' THEN json_array(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                       WHEN 'CRON' THEN json_array(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                       ELSE json_array(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                       p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                  CASE WHEN j.IS_NONCONCURRENT = '1'
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v INDEXED BY IDX_QRTZ_X_P_J WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w INDEXED BY IDX_QRTZ_X_P_J
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
       ,
0
       AS AS_READ,
       (SELECT o.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS o INDEXED BY IDX_QRTZ_T_NFT_ST
        WHERE o.SCHED_NAME = :schedName
          AND o.TRIGGER_STATE = 'WAITING'
          AND o.NEXT_FIRE_TIME >= :anyoneBefore
          AND o.NEXT_FIRE_TIME <= :noLaterThan
          AND (o.NEXT_FIRE_TIME > :ownUntil OR o.NEXT_FIRE_TIME % :turnMs NOT BETWEEN :ownFirst AND :ownLast)
        ORDER BY o.NEXT_FIRE_TIME
        LIMIT 1) AS NEXT_TIME,
       (SELECT v.META_VALUE FROM QRTZ_X_META AS v WHERE v.SCHED_NAME = :schedName AND v.META_KEY = 'schedule.version') AS VERSION
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :readUntil
  AND (t.NEXT_FIRE_TIME < :anyoneBefore
       OR t.NEXT_FIRE_TIME <= :ownUntil AND t.NEXT_FIRE_TIME % :turnMs BETWEEN :ownFirst AND :ownLast
       OR t.NEXT_FIRE_TIME < :lateBefore AND
:share < :shares
      )
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT value FROM json_each(:rows))
  AND
COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
  AND (NOT EXISTS (SELECT 1 FROM QRTZ_X_PLACES AS v WHERE v.SCHED_NAME = :schedName)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_PLACES AS w
                      WHERE w.SCHED_NAME = t.SCHED_NAME
                        AND w.TRIGGER_NAME = t.TRIGGER_NAME
                        AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                        AND NOT (
NOT EXISTS (SELECT 1 FROM json_each(w.RUNS_ON) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                 AND (
NOT EXISTS (SELECT 1 FROM json_each(w.PREFERS) AS n
                   WHERE n.value NOT IN (SELECT l.value FROM json_each(:labels) AS l))
                                      OR t.NEXT_FIRE_TIME <= :now - MIN(w.FALLBACK_AFTER, :maxFallbackAfter)))))
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0;

-- name: insertTrain
-- Index: PRIMARY of QRTZ_TRIGGERS, its type rows, QRTZ_JOB_DETAILS, QRTZ_CALENDARS, QRTZ_SCHEDULER_STATE, QRTZ_X_NODES and QRTZ_X_META; IDX_QRTZ_FT_J_G. Locks: the triggers read, the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS next_fire_time,
         value ->> 4 AS priority,
         value ->> 5 AS is_nonconcurrent,
         value ->> 6 AS requests_recovery,
         value ->> 7 AS as_read
  FROM json_each(:rows))
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON t.TRIGGER_TYPE = 'SIMPLE' AND s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON t.TRIGGER_TYPE = 'CRON' AND c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON t.TRIGGER_TYPE NOT IN ('SIMPLE', 'CRON')
     AND p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND (r.is_nonconcurrent = '0'
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                      WHERE e.SCHED_NAME = t.SCHED_NAME
                        AND e.JOB_NAME = t.JOB_NAME
                        AND e.JOB_GROUP = t.JOB_GROUP
                        AND e.STATE = 'EXECUTING'))
  AND r.as_read =
0
  AND
EXISTS (SELECT 1
               FROM QRTZ_SCHEDULER_STATE AS n
               JOIN QRTZ_X_NODES AS x
                 ON x.SCHED_NAME = n.SCHED_NAME AND x.INSTANCE_NAME = n.INSTANCE_NAME
               JOIN QRTZ_X_META AS v
                 ON v.SCHED_NAME = n.SCHED_NAME AND v.META_KEY = 'schedule.version'
               WHERE n.SCHED_NAME = :schedName
                 AND n.INSTANCE_NAME = :instanceId
                 AND x.EPOCH = :epoch
                 AND x.REFUSED_TRAIN < :train
                 AND v.META_VALUE = :version);

-- name: selectTrain
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS entry_id
  FROM json_each(:rows))
SELECT f.ENTRY_ID
FROM r
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id;

-- name: refuseTrain
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES AS x
SET REFUSED_TRAIN = :train
WHERE x.SCHED_NAME = :schedName
  AND x.INSTANCE_NAME = :instanceId
  AND x.EPOCH = :epoch;

-- name: advanceScheduleVersion
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'schedule.version', '1')
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = QRTZ_X_META.META_VALUE + 1;

-- name: advanceTrain
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS to_state,
         value ->> 4 AS next_fire_time,
         value ->> 5 AS previous_fire_time,
         value ->> 6 AS start_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET NEXT_FIRE_TIME = r.next_fire_time,
    PREV_FIRE_TIME = r.previous_fire_time,
    START_TIME = r.start_time,
    TRIGGER_STATE = r.to_state
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id);

-- name: advanceSimpleTrain
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_SIMPLE_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS repeat_count,
         value ->> 4 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPLE_TRIGGERS AS t
SET REPEAT_COUNT = r.repeat_count,
    TIMES_TRIGGERED = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id);

-- name: advanceSimpropTrain
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS entry_id,
         value ->> 3 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET INT_PROP_2 = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id);

-- name: blockTrain
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND +t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED')
  AND EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id);

-- name: deleteReservationsOfTrain
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT e.ENTRY_ID
                   FROM r
                   CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
                     ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id
                   CROSS JOIN QRTZ_TRIGGERS AS s INDEXED BY IDX_QRTZ_T_J
                     ON s.SCHED_NAME = r.sched_name AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                   CROSS JOIN QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_T_G
                     ON e.SCHED_NAME = s.SCHED_NAME AND e.TRIGGER_NAME = s.TRIGGER_NAME AND e.TRIGGER_GROUP = s.TRIGGER_GROUP
                   WHERE e.STATE = 'ACQUIRED');

-- name: selectStored
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_JOB_DETAILS and, its first column, of QRTZ_PAUSED_TRIGGER_GRPS; IDX_QRTZ_X_P_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:triggers)),
r2 AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:jobs)),
r3 AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 0 AS job_name,
         value ->> 1 AS job_group
  FROM json_each(:followable))
SELECT 'trigger' AS KIND, r.position AS POSITION, NULL AS TRIGGER_GROUP
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
UNION ALL
SELECT 'job', r2.position, NULL
FROM r2
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = r2.sched_name AND j.JOB_NAME = r2.job_name AND j.JOB_GROUP = r2.job_group
UNION ALL
SELECT 'followed', r3.position, NULL
FROM r3
WHERE EXISTS (SELECT 1
              FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
              WHERE x.SCHED_NAME = r3.sched_name AND x.JOB_NAME = r3.job_name AND x.JOB_GROUP = r3.job_group)
UNION ALL
SELECT 'pausedGroup', NULL, g.TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName;

-- name: setTriggerStates
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group,
         value ->> 'fromState' AS from_state,
         value ->> 'toState' AS to_state
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = r.to_state
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.TRIGGER_STATE = r.from_state;

-- name: advanceTriggers
-- counts: twice
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS from_state,
         value ->> 3 AS from_time,
         value ->> 4 AS to_state,
         value ->> 5 AS next_fire_time,
         value ->> 6 AS previous_fire_time,
         value ->> 7 AS start_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET NEXT_FIRE_TIME = r.next_fire_time,
    PREV_FIRE_TIME = r.previous_fire_time,
    START_TIME = r.start_time,
    TRIGGER_STATE = r.to_state
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.TRIGGER_STATE = r.from_state
  AND +t.NEXT_FIRE_TIME = r.from_time;

-- name: advanceSimpleTriggers
-- counts: twice
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS repeat_count,
         value ->> 3 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPLE_TRIGGERS AS t
SET REPEAT_COUNT = r.repeat_count,
    TIMES_TRIGGERED = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group;

-- name: advanceSimpropTriggers
-- counts: twice
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS times_triggered
  FROM json_each(:rows))
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET INT_PROP_2 = r.times_triggered
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group;

-- name: insertTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS job_name,
         value ->> 3 AS job_group,
         value ->> 4 AS next_fire_time,
         value ->> 5 AS start_time,
         value ->> 6 AS previous_fire_time,
         value ->> 7 AS priority,
         value ->> 8 AS trigger_state,
         value ->> 9 AS trigger_type,
         value ->> 10 AS end_time,
         value ->> 11 AS misfire_instruction,
         value ->> '$[12][0]' AS description,
         value ->> '$[13][0]' AS calendar_name,
         value ->> '$[14][0]' AS job_data
  FROM json_each(:rows))
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME, PREV_FIRE_TIME,
       PRIORITY, TRIGGER_STATE, TRIGGER_TYPE, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA)
SELECT :schedName, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.description, r.next_fire_time,
       r.previous_fire_time, r.priority, r.trigger_state, r.trigger_type, r.start_time, r.end_time, r.calendar_name,
       r.misfire_instruction, unhex(r.job_data)
FROM r;

-- name: insertTrigger
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the row inserted.
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, NEXT_FIRE_TIME, START_TIME, PREV_FIRE_TIME, PRIORITY,
       TRIGGER_STATE, TRIGGER_TYPE, END_TIME, MISFIRE_INSTR, DESCRIPTION, CALENDAR_NAME, JOB_DATA)
VALUES (:schedName, :triggerName, :triggerGroup, :jobName, :jobGroup, :nextFireTime, :startTime, :previousFireTime, :priority,
        :triggerState, :triggerType, :endTime, :misfireInstruction, :description, :calendarName,
        unhex(:jobData));

-- name: insertAlikeTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS job_name,
         value ->> 3 AS job_group,
         value ->> 4 AS next_fire_time,
         value ->> 5 AS start_time
  FROM json_each(:rows))
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME, PREV_FIRE_TIME,
       PRIORITY, TRIGGER_STATE, TRIGGER_TYPE, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA)
SELECT :schedName, r.trigger_name, r.trigger_group, r.job_name, r.job_group, :description, r.next_fire_time,
       :previousFireTime, :priority, :triggerState, :triggerType, r.start_time, :endTime, :calendarName,
       :misfireInstruction, unhex(:jobData)
FROM r;

-- name: updateTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS job_name,
         value ->> 3 AS job_group,
         value ->> 4 AS next_fire_time,
         value ->> 5 AS start_time,
         value ->> 6 AS previous_fire_time,
         value ->> 7 AS priority,
         value ->> 8 AS trigger_state,
         value ->> 9 AS trigger_type,
         value ->> 10 AS end_time,
         value ->> 11 AS misfire_instruction,
         value ->> '$[12][0]' AS description,
         value ->> '$[13][0]' AS calendar_name,
         value ->> '$[14][0]' AS job_data,
         value ->> 15 AS from_state,
         value ->> 16 AS from_time
  FROM json_each(:rows))
UPDATE QRTZ_TRIGGERS AS t
SET JOB_NAME = r.job_name,
    JOB_GROUP = r.job_group,
    DESCRIPTION = r.description,
    NEXT_FIRE_TIME = r.next_fire_time,
    PREV_FIRE_TIME = r.previous_fire_time,
    PRIORITY = r.priority,
    TRIGGER_STATE = r.trigger_state,
    TRIGGER_TYPE = r.trigger_type,
    START_TIME = r.start_time,
    END_TIME = r.end_time,
    CALENDAR_NAME = r.calendar_name,
    MISFIRE_INSTR = r.misfire_instruction,
    JOB_DATA = unhex(r.job_data)
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group
  AND +t.TRIGGER_STATE = r.from_state
  AND +t.NEXT_FIRE_TIME = r.from_time;

-- name: insertSimpleTriggers
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS repeat_count,
         value ->> 3 AS repeat_interval,
         value ->> 4 AS times_triggered
  FROM json_each(:rows))
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, r.repeat_count, r.repeat_interval, r.times_triggered
FROM r;

-- name: insertSimpleTrigger
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the row inserted.
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
VALUES (:schedName, :triggerName, :triggerGroup, :repeatCount, :repeatInterval, :timesTriggered);

-- name: insertAlikeSimpleTriggers
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, :repeatCount, :repeatInterval, :timesTriggered
FROM r;

-- name: insertCronTriggers
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS cron_expression,
         value ->> 3 AS time_zone
  FROM json_each(:rows))
INSERT INTO QRTZ_CRON_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, CRON_EXPRESSION, TIME_ZONE_ID)
SELECT :schedName, r.trigger_name, r.trigger_group, r.cron_expression, r.time_zone
FROM r;

-- name: insertSimpropTriggers
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows inserted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS text1,
         value ->> 3 AS text2,
         value ->> '$[4][0]' AS text3,
         value ->> 5 AS number1,
         value ->> 6 AS number2,
         value ->> 7 AS number3,
         value ->> '$[8][0]' AS flag1,
         value ->> '$[9][0]' AS flag2
  FROM json_each(:rows))
INSERT INTO QRTZ_SIMPROP_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, STR_PROP_1, STR_PROP_2, STR_PROP_3, INT_PROP_1, INT_PROP_2,
       LONG_PROP_1, BOOL_PROP_1, BOOL_PROP_2)
SELECT :schedName, r.trigger_name, r.trigger_group, r.text1, r.text2, r.text3, r.number1, r.number2, r.number3,
       r.flag1, r.flag2
FROM r;

-- name: deleteSimpleTriggers
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_SIMPLE_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: deleteCronTriggers
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_CRON_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: deleteSimpropTriggers
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_SIMPROP_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: deleteBlobTriggers
-- Index: PRIMARY of QRTZ_BLOB_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_BLOB_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: deleteTriggers
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r);

-- name: deleteReservationsOfTriggers
-- Index: IDX_QRTZ_FT_T_G. Locks: the rows deleted.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS AS t INDEXED BY IDX_QRTZ_FT_T_G
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) IN (SELECT r.trigger_name, r.trigger_group FROM r)
  AND +t.STATE = 'ACQUIRED';

-- name: selectTriggersOfJobs
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: selectTriggersOfGroups
-- Index: IDX_QRTZ_T_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectFurtherRuns
-- Index: IDX_QRTZ_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS', 'SHARDED_JOBS', 'CHAINED_JOBS')
UNION ALL
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_G
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP >= 'BACKFILL_'
  AND t.TRIGGER_GROUP < 'BACKFILL`';

-- name: selectFurtherRunsOfJobs
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
  ON t.SCHED_NAME = r.sched_name AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS', 'SHARDED_JOBS', 'CHAINED_JOBS')
   OR (t.TRIGGER_GROUP >= 'BACKFILL_' AND t.TRIGGER_GROUP < 'BACKFILL`');

-- name: selectStates
-- Index: PRIMARY of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectTriggersOfCalendars
-- Index: IDX_QRTZ_T_C.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS calendar_name
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_C
  ON t.SCHED_NAME = r.sched_name AND t.CALENDAR_NAME = r.calendar_name;

-- name: selectMisfiredTriggers
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_MISFIRED.
SELECT
json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
                  t.PRIORITY, t.TRIGGER_STATE, t.TRIGGER_TYPE, t.START_TIME, t.END_TIME, t.CALENDAR_NAME, t.MISFIRE_INSTR,
                  j.DESCRIPTION, j.JOB_CLASS_NAME,
                  j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY,
                  CASE t.TRIGGER_TYPE
                       WHEN 'SIMPLE' THEN json_array(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                       WHEN 'CRON' THEN json_array(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                       ELSE json_array(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                       p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                  CASE WHEN j.IS_NONCONCURRENT = '1'
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v INDEXED BY IDX_QRTZ_X_P_J WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w INDEXED BY IDX_QRTZ_X_P_J
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
CROSS JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME < :misfireTime
  AND t.NEXT_FIRE_TIME <> -1
  AND t.MISFIRE_INSTR <> -1
  AND t.TRIGGER_TYPE <> 'BLOB'
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectMisfiredKeys
-- Index: IDX_QRTZ_T_NFT_ST in its order.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_NFT_ST
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME < :misfireTime
  AND t.NEXT_FIRE_TIME <> -1
  AND t.MISFIRE_INSTR <> -1
  AND t.TRIGGER_TYPE <> 'BLOB'
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit + 0 OFFSET :skip + 0;

-- name: selectTriggers
-- Index: PRIMARY of every table; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_MISFIRED.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         key AS position,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group,
         value ->> 'entryId' AS entry_id
  FROM json_each(:rows))
SELECT r.position AS POSITION, f.STATE AS FIRED_STATE,
json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
                  t.PRIORITY, t.TRIGGER_STATE, t.TRIGGER_TYPE, t.START_TIME, t.END_TIME, t.CALENDAR_NAME, t.MISFIRE_INSTR,
                  j.DESCRIPTION, j.JOB_CLASS_NAME,
                  j.IS_DURABLE || ',' || j.IS_NONCONCURRENT || ',' || j.IS_UPDATE_DATA || ',' || j.REQUESTS_RECOVERY,
                  CASE t.TRIGGER_TYPE
                       WHEN 'SIMPLE' THEN json_array(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                       WHEN 'CRON' THEN json_array(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                       ELSE json_array(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                       p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                  CASE WHEN j.IS_NONCONCURRENT = '1'
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_FIRED_TRIGGERS AS e INDEXED BY IDX_QRTZ_FT_J_G
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v INDEXED BY IDX_QRTZ_X_P_J WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w INDEXED BY IDX_QRTZ_X_P_J
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
FROM r
LEFT JOIN QRTZ_TRIGGERS AS t
  ON t.SCHED_NAME = r.sched_name AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = r.sched_name AND f.ENTRY_ID = r.entry_id AND f.INSTANCE_NAME = :instanceId
LEFT JOIN QRTZ_JOB_DETAILS AS j
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME;
