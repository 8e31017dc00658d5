-- Statements that read whole triggers: with their type row, job and calendar.

-- part: triggerColumns
-- Columns of a trigger t. TRIGGER_ROW is in the order of src/store/sql/rows/read-rows.ts. Its last three elements: whether a non-concurrent
-- job executes, whether triggers wait for the job's end, and the first due time if a misfire has moved the present fire time. If no trigger
-- waits for any job, or no misfire has moved any fire time, that is checked once for all rows. The list is concatenated from texts, because JSON_ARRAY with so many values takes MySQL a third longer.
-- only: sqlite
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
                                    FROM QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_J_G)
                                    WHERE e.SCHED_NAME = t.SCHED_NAME
                                      AND e.JOB_NAME = t.JOB_NAME
                                      AND e.JOB_GROUP = t.JOB_GROUP
                                      AND e.STATE = 'EXECUTING')
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v @index(IDX_QRTZ_X_P_J) WHERE v.SCHED_NAME = :schedName)
                       THEN EXISTS (SELECT 1
                                    FROM QRTZ_X_PARENTS AS w @index(IDX_QRTZ_X_P_J)
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.JOB_NAME = t.JOB_NAME
                                      AND w.JOB_GROUP = t.JOB_GROUP)
                       ELSE 0 END + 0,
                  CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v @index(PRIMARY) WHERE v.SCHED_NAME = :schedName)
                       THEN (SELECT w.FIRST_DUE_TIME
                             FROM QRTZ_X_MISFIRED AS w @index(PRIMARY)
                             WHERE w.SCHED_NAME = t.SCHED_NAME
                               AND w.TRIGGER_NAME = t.TRIGGER_NAME
                               AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                               AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END) AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR
-- only: mysql
       CONCAT('[', CONCAT_WS(',',
                 COALESCE(JSON_QUOTE(t.TRIGGER_NAME), 'null'), COALESCE(JSON_QUOTE(t.TRIGGER_GROUP), 'null'),
                 COALESCE(JSON_QUOTE(t.JOB_NAME), 'null'), COALESCE(JSON_QUOTE(t.JOB_GROUP), 'null'),
                 COALESCE(JSON_QUOTE(t.DESCRIPTION), 'null'), COALESCE(t.NEXT_FIRE_TIME, 'null'), COALESCE(t.PREV_FIRE_TIME, 'null'),
                 COALESCE(t.PRIORITY, 'null'), COALESCE(JSON_QUOTE(t.TRIGGER_STATE), 'null'),
                 COALESCE(JSON_QUOTE(t.TRIGGER_TYPE), 'null'), COALESCE(t.START_TIME, 'null'), COALESCE(t.END_TIME, 'null'),
                 COALESCE(JSON_QUOTE(t.CALENDAR_NAME), 'null'), COALESCE(t.MISFIRE_INSTR, 'null'),
                 COALESCE(JSON_QUOTE(j.DESCRIPTION), 'null'), COALESCE(JSON_QUOTE(j.JOB_CLASS_NAME), 'null'),
                 JSON_QUOTE(CONCAT_WS(',', j.IS_DURABLE, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.REQUESTS_RECOVERY)),
                 CASE t.TRIGGER_TYPE
                      WHEN 'SIMPLE' THEN JSON_ARRAY(s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED)
                      WHEN 'CRON' THEN JSON_ARRAY(c.CRON_EXPRESSION, c.TIME_ZONE_ID)
                      ELSE JSON_ARRAY(p.STR_PROP_1, p.STR_PROP_2, p.STR_PROP_3, p.INT_PROP_1, p.INT_PROP_2, p.LONG_PROP_1,
                                      p.BOOL_PROP_1, p.BOOL_PROP_2) END,
                 CASE WHEN j.IS_NONCONCURRENT = '1'
                      THEN EXISTS (SELECT 1
                                   FROM QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_J_G)
                                   WHERE e.SCHED_NAME = t.SCHED_NAME
                                     AND e.JOB_NAME = t.JOB_NAME
                                     AND e.JOB_GROUP = t.JOB_GROUP
                                     AND e.STATE = 'EXECUTING')
                      ELSE 0 END + 0,
                 CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v @index(IDX_QRTZ_X_P_J) WHERE v.SCHED_NAME = :schedName)
                      THEN EXISTS (SELECT 1
                                   FROM QRTZ_X_PARENTS AS w @index(IDX_QRTZ_X_P_J)
                                   WHERE w.SCHED_NAME = t.SCHED_NAME
                                     AND w.JOB_NAME = t.JOB_NAME
                                     AND w.JOB_GROUP = t.JOB_GROUP)
                      ELSE 0 END + 0,
                 COALESCE(CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_MISFIRED AS v @index(PRIMARY) WHERE v.SCHED_NAME = :schedName)
                              THEN (SELECT w.FIRST_DUE_TIME
                                    FROM QRTZ_X_MISFIRED AS w @index(PRIMARY)
                                    WHERE w.SCHED_NAME = t.SCHED_NAME
                                      AND w.TRIGGER_NAME = t.TRIGGER_NAME
                                      AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
                                      AND w.NEXT_FIRE_TIME = t.NEXT_FIRE_TIME) END, 'null')), ']') AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR

-- part: triggerTables
-- The type row of a trigger, and its calendar.
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s @index(PRIMARY)
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c @index(PRIMARY)
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p @index(PRIMARY)
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k @index(PRIMARY)
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME


-- name: selectMisfiredTriggers
-- Selects misfired triggers of every job type, those that have waited longest first. Leaves out triggers that ignore misfires, and types that only
-- Java supports.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_MISFIRED.
SELECT
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME < :misfireTime
  AND t.NEXT_FIRE_TIME <> -1
  AND t.MISFIRE_INSTR <> -1
  AND t.TRIGGER_TYPE <> 'BLOB'
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectMisfiredKeys
-- Like selectMisfiredTriggers, but returns only the keys, if unreadable triggers come first.
-- Index: IDX_QRTZ_T_NFT_ST in its order.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME < :misfireTime
  AND t.NEXT_FIRE_TIME <> -1
  AND t.MISFIRE_INSTR <> -1
  AND t.TRIGGER_TYPE <> 'BLOB'
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectTriggers
-- Selects triggers by key, with all data that any operation needs: type row, job and calendar. If an entry id is given, also whether this
-- node still holds that reservation. Returns one row per key, even if no trigger is stored under it.
-- JOB_EXECUTING: a non-concurrent job executes.
-- Index: PRIMARY of every table; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_MISFIRED.
SELECT r.position AS POSITION, f.STATE AS FIRED_STATE,
-- include: triggerColumns
FROM @rows(:rows, position place, trigger_name key, trigger_group key, entry_id text(95)) AS r
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id AND f.INSTANCE_NAME = :instanceId
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables;
