-- name: selectMisfiredTriggers
-- The longest waiting first, of every job type. Those that ignore misfires, and those of kinds that only Java knows, are passed over.
-- Index: IDX_QRTZ_T_NFT_ST in its order, The primary key of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING.
SELECT json_array(t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.DESCRIPTION, t.NEXT_FIRE_TIME, t.PREV_FIRE_TIME,
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
                       ELSE 0 END + 0) AS TRIGGER_ROW,
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
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :limit OFFSET :skip;

-- name: selectMisfiredKeys
-- As selectMisfiredTriggers, no more than the keys, where unreadable triggers stand in front.
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
LIMIT :limit OFFSET :skip;
