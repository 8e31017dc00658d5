-- The statements that read whole triggers: with the row of their kind, their job and their calendar.

-- part: triggerColumns
-- The columns of a trigger t. TRIGGER_ROW: in the order of trigger-record.ts. The last two elements: whether the job must not execute
-- twice and does execute; whether triggers wait for its end, which is asked
-- once for all rows where no trigger waits for any job. Written out, because JSON_ARRAY of so many takes a third longer.
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
                                   FROM QRTZ_FIRED_TRIGGERS AS e FORCE INDEX (IDX_QRTZ_FT_J_G)
                                   WHERE e.SCHED_NAME = t.SCHED_NAME
                                     AND e.JOB_NAME = t.JOB_NAME
                                     AND e.JOB_GROUP = t.JOB_GROUP
                                     AND e.STATE = 'EXECUTING')
                      ELSE 0 END + 0,
                 CASE WHEN EXISTS (SELECT 1 FROM QRTZ_X_PARENTS AS v FORCE INDEX (IDX_QRTZ_X_P_J) WHERE v.SCHED_NAME = :schedName)
                      THEN EXISTS (SELECT 1
                                   FROM QRTZ_X_PARENTS AS w FORCE INDEX (IDX_QRTZ_X_P_J)
                                   WHERE w.SCHED_NAME = t.SCHED_NAME
                                     AND w.JOB_NAME = t.JOB_NAME
                                     AND w.JOB_GROUP = t.JOB_GROUP)
                      ELSE 0 END + 0), ']') AS TRIGGER_ROW,
       t.JOB_DATA, j.JOB_DATA AS DETAIL_DATA, k.CALENDAR

-- part: triggerTables
-- The row of the trigger's kind, and its calendar.
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s FORCE INDEX (PRIMARY)
  ON s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c FORCE INDEX (PRIMARY)
  ON c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p FORCE INDEX (PRIMARY)
  ON p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CALENDARS AS k FORCE INDEX (PRIMARY)
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME

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

-- name: selectDueTriggers
-- What may be acquired here, by time, with all that firing it needs. Misfired triggers are left to the misfire handler unless they
-- ignore misfires; jobs of types that this node has not registered are left to others,
-- and what is placed elsewhere or of another priority. rows: the names of those types. labels: of this node.
-- Of equal times the higher priority comes first, then the key, because the index holds them so; on tables with Quartz's own
-- index, which ends in NEXT_FIRE_TIME, that is decided within what was read: asking for it would sort all that is due (10,000: 44 ms).
-- from: where acquirable ones begin as far as known; it spares the scan of a backlog that nobody here can run (10,000: 11 ms).
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once its first column, as of QRTZ_X_PLACES.
SELECT STRAIGHT_JOIN
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :noLaterThan
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN (SELECT r.job_type
                           FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
                                  job_type VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) AS r)
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectDueTriggersOfOtherGroups
-- As selectDueTriggers, without the jobs of groups that are full on this node. fullGroups: their names.
-- from: also behind what was found to be of these groups alone.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once its first column, as of QRTZ_X_PLACES.
SELECT STRAIGHT_JOIN
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
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

-- name: selectMisfiredTriggers
-- The longest waiting first, of every job type. Those that ignore misfires, and those of kinds that only Java knows, are passed over.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once its first column.
SELECT STRAIGHT_JOIN
-- include: triggerColumns
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
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
-- As selectMisfiredTriggers, no more than the keys, where unreadable triggers stand in front.
-- Index: IDX_QRTZ_T_NFT_ST in its order.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t FORCE INDEX (IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME < :misfireTime
  AND t.NEXT_FIRE_TIME <> -1
  AND t.MISFIRE_INSTR <> -1
  AND t.TRIGGER_TYPE <> 'BLOB'
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit OFFSET :skip;

-- name: selectTriggers
-- The triggers of a set of keys with all that any operation asks of them: their kind, job, calendar and, where an entry id
-- is given, whether this node still holds that reservation. One row for each key, also when no trigger is stored under it.
-- JOB_EXECUTING: the job must not execute twice and does execute.
-- Index: PRIMARY of every table; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once its first column.
SELECT r.position - 1 AS POSITION, f.STATE AS FIRED_STATE,
-- include: triggerColumns
FROM JSON_TABLE(:rows, '$[*]' COLUMNS (
         position FOR ORDINALITY,
         trigger_name  VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerName',
         trigger_group VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.triggerGroup',
         entry_id      VARCHAR(95) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$.entryId')) AS r
LEFT JOIN QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f FORCE INDEX (PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id AND f.INSTANCE_NAME = :instanceId
LEFT JOIN QRTZ_JOB_DETAILS AS j FORCE INDEX (PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables;
