-- Fires due triggers by a train: they are read without the lock, then all writes follow the lock in one flush (see src/store/sql/operations/train.ts).

-- part: asRead
-- Checksum of every column of a trigger, its type row, its job and its calendar that a decision depends on, except for its state and next fire time.
-- The version of the schedule does not cover all of them: Java does not advance it, and neither does a run that stores its job's data.
-- only: sqlite
       0
-- only: mysql
       CRC32(CONCAT_WS('|', t.JOB_NAME, t.JOB_GROUP, COALESCE(t.PREV_FIRE_TIME, ''), COALESCE(t.PRIORITY, ''), t.TRIGGER_TYPE, t.START_TIME,
                       COALESCE(t.END_TIME, ''), COALESCE(t.CALENDAR_NAME, ''), COALESCE(t.MISFIRE_INSTR, ''), CRC32(COALESCE(t.JOB_DATA, '')),
                       s.REPEAT_COUNT, s.REPEAT_INTERVAL, s.TIMES_TRIGGERED, c.CRON_EXPRESSION, COALESCE(c.TIME_ZONE_ID, ''),
                       COALESCE(p.STR_PROP_1, ''), COALESCE(p.STR_PROP_2, ''), COALESCE(p.STR_PROP_3, ''), COALESCE(p.INT_PROP_1, ''),
                       COALESCE(p.INT_PROP_2, ''), COALESCE(p.LONG_PROP_1, ''), COALESCE(p.BOOL_PROP_1, ''), COALESCE(p.BOOL_PROP_2, ''),
                       j.JOB_CLASS_NAME, j.IS_DURABLE, j.IS_NONCONCURRENT, j.IS_UPDATE_DATA, j.REQUESTS_RECOVERY,
                       CRC32(COALESCE(j.JOB_DATA, '')), CRC32(COALESCE(k.CALENDAR, ''))))

-- part: isOfShare
-- True for the triggers of one share of a backlog. Their keys decide, so a share remains the same while other nodes fire theirs.
-- only: sqlite
       :share < :shares
-- only: mysql
       CRC32(CONCAT(t.TRIGGER_GROUP, t.TRIGGER_NAME)) % :shares = :share

-- name: selectPlace
-- Selects how many other nodes acquire triggers, and how many of them come before this one.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT COUNT(*) AS PEERS,
       COUNT(CASE WHEN s.INSTANCE_NAME < :instanceId THEN 1 END) AS EARLIER
FROM QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
@then QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME <> :instanceId
  AND n.STATUS = 'MEMBER'
  AND s.LAST_CHECKIN_TIME + s.CHECKIN_INTERVAL + n.CHECKIN_GRACE >= @now;

-- name: selectDueForTrain
-- Like selectDueTriggers, with what the train compares: the version of the schedule, and a checksum of each trigger.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of the others; IDX_QRTZ_FT_J_G for JOB_EXECUTING, IDX_QRTZ_X_P_J for HAS_FOLLOWERS, once by its first column, as PRIMARY of QRTZ_X_PLACES.
SELECT
-- include: triggerColumns
       ,
-- include: asRead
       AS AS_READ,
       (SELECT o.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS o @index(IDX_QRTZ_T_NFT_ST)
        WHERE o.SCHED_NAME = :schedName
          AND o.TRIGGER_STATE = 'WAITING'
          AND o.NEXT_FIRE_TIME >= :anyoneBefore
          AND o.NEXT_FIRE_TIME <= :noLaterThan
          AND (o.NEXT_FIRE_TIME > :ownUntil OR o.NEXT_FIRE_TIME % :turnMs NOT BETWEEN :ownFirst AND :ownLast)
        ORDER BY o.NEXT_FIRE_TIME
        LIMIT 1) AS NEXT_TIME,
       (SELECT v.META_VALUE FROM QRTZ_X_META AS v @index(PRIMARY) WHERE v.SCHED_NAME = :schedName AND v.META_KEY = 'schedule.version') AS VERSION
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
-- include: triggerTables
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME >= :from
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :readUntil
  AND (t.NEXT_FIRE_TIME < :anyoneBefore
       OR t.NEXT_FIRE_TIME <= :ownUntil AND t.NEXT_FIRE_TIME % :turnMs BETWEEN :ownFirst AND :ownLast
       OR t.NEXT_FIRE_TIME < :lateBefore AND
-- include: isOfShare
      )
  AND (t.NEXT_FIRE_TIME >= :misfireTime OR t.MISFIRE_INSTR = -1)
  AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
  AND
-- include: mayRunHere
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit;

-- part: stillAsRead
-- True if nothing that the decision used has changed: the schedule's version, the node's incarnation, and this train was not refused.
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
                 AND v.META_VALUE = :version)

-- name: insertTrain
-- Fires the triggers of a train that are still as they were read; the others are lost to another node, or changed. Skips rows that another session has
-- locked, because a wait under TRIGGER_ACCESS would stop all firing.
-- Index: PRIMARY of QRTZ_TRIGGERS, its type rows, QRTZ_JOB_DETAILS, QRTZ_CALENDARS, QRTZ_SCHEDULER_STATE, QRTZ_X_NODES and QRTZ_X_META; IDX_QRTZ_FT_J_G. Locks: the triggers read, the rows inserted.
INSERT INTO QRTZ_FIRED_TRIGGERS
      (SCHED_NAME, ENTRY_ID, TRIGGER_NAME, TRIGGER_GROUP, INSTANCE_NAME, FIRED_TIME, SCHED_TIME, PRIORITY, STATE,
       JOB_NAME, JOB_GROUP, IS_NONCONCURRENT, REQUESTS_RECOVERY)
SELECT :schedName, r.entry_id, r.trigger_name, r.trigger_group, :instanceId, :now, r.next_fire_time, r.priority,
       'EXECUTING', t.JOB_NAME, t.JOB_GROUP, r.is_nonconcurrent, r.requests_recovery
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), next_fire_time int, priority int,
                  is_nonconcurrent text(1), requests_recovery text(1), as_read int) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_SIMPLE_TRIGGERS AS s @index(PRIMARY)
  ON t.TRIGGER_TYPE = 'SIMPLE' AND s.SCHED_NAME = t.SCHED_NAME AND s.TRIGGER_NAME = t.TRIGGER_NAME AND s.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_CRON_TRIGGERS AS c @index(PRIMARY)
  ON t.TRIGGER_TYPE = 'CRON' AND c.SCHED_NAME = t.SCHED_NAME AND c.TRIGGER_NAME = t.TRIGGER_NAME AND c.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_SIMPROP_TRIGGERS AS p @index(PRIMARY)
  ON t.TRIGGER_TYPE NOT IN ('SIMPLE', 'CRON')
     AND p.SCHED_NAME = t.SCHED_NAME AND p.TRIGGER_NAME = t.TRIGGER_NAME AND p.TRIGGER_GROUP = t.TRIGGER_GROUP
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_CALENDARS AS k @index(PRIMARY)
  ON k.SCHED_NAME = t.SCHED_NAME AND k.CALENDAR_NAME = t.CALENDAR_NAME
WHERE t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND (r.is_nonconcurrent = '0'
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_J_G)
                      WHERE e.SCHED_NAME = t.SCHED_NAME
                        AND e.JOB_NAME = t.JOB_NAME
                        AND e.JOB_GROUP = t.JOB_GROUP
                        AND e.STATE = 'EXECUTING'))
  AND r.as_read =
-- include: asRead
  AND
-- include: stillAsRead
FOR UPDATE OF t SKIP LOCKED;

-- name: selectTrain
-- The runs of a train that fired.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS.
SELECT f.ENTRY_ID
FROM @values(:rows, entry_id text(95)) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id;

-- name: refuseTrain
-- Refuses a train whose outcome was looked up and that stored nothing: if it arrives later, it stores nothing.
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES AS x
SET REFUSED_TRAIN = :train
WHERE x.SCHED_NAME = :schedName
  AND x.INSTANCE_NAME = :instanceId
  AND x.EPOCH = :epoch;

-- name: advanceScheduleVersion
-- Sent by each transaction that changes, deletes, pauses or resumes what was stored before. A train that was decided before then stores nothing.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, 'schedule.version', '1')
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = QRTZ_X_META.META_VALUE + 1;

-- name: advanceTrain
-- Advances the triggers of a train that fired, like advanceTriggers.
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET NEXT_FIRE_TIME = r.next_fire_time,
    PREV_FIRE_TIME = r.previous_fire_time,
    START_TIME = r.start_time,
    TRIGGER_STATE = r.to_state
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), to_state text(16), next_fire_time int,
           previous_fire_time int, start_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id);
-- only: mysql
INSERT INTO QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, TRIGGER_STATE, TRIGGER_TYPE, START_TIME)
SELECT t.SCHED_NAME, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, '', '', 0
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), to_state text(16), next_fire_time int,
                  previous_fire_time int, start_time int) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
FOR UPDATE OF t
ON DUPLICATE KEY UPDATE
  NEXT_FIRE_TIME = r.next_fire_time,
  PREV_FIRE_TIME = r.previous_fire_time,
  START_TIME = r.start_time,
  TRIGGER_STATE = r.to_state;

-- name: advanceSimpleTrain
-- Like advanceSimpleTriggers, for the triggers of a train that fired.
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_SIMPLE_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_SIMPLE_TRIGGERS AS t
SET REPEAT_COUNT = r.repeat_count,
    TIMES_TRIGGERED = r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), repeat_count int, times_triggered int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id);
-- only: mysql
INSERT INTO QRTZ_SIMPLE_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, r.repeat_count, 0, r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), repeat_count int, times_triggered int) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
ON DUPLICATE KEY UPDATE
  REPEAT_COUNT = r.repeat_count,
  TIMES_TRIGGERED = r.times_triggered;

-- name: advanceSimpropTrain
-- Like advanceSimpropTriggers, for the triggers of a train that fired.
-- counts: twice
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET INT_PROP_2 = r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), times_triggered int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id);
-- only: mysql
INSERT INTO QRTZ_SIMPROP_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, INT_PROP_2)
SELECT :schedName, r.trigger_name, r.trigger_group, r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, entry_id text(95), times_triggered int) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
ON DUPLICATE KEY UPDATE
  INT_PROP_2 = r.times_triggered;

-- name: blockTrain
-- Blocks the triggers of non-concurrent jobs that a train fired, like blockTriggers, and skips locked rows like it.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, IDX_QRTZ_T_J, PRIMARY. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
SET TRIGGER_STATE = CASE t.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END
FROM @rows(:rows, job_name key, job_group key, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED')
  AND EXISTS (SELECT 1 FROM QRTZ_FIRED_TRIGGERS AS f WHERE f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id);
-- only: mysql
UPDATE /*+ NO_MERGE(k) */ (SELECT s.TRIGGER_NAME, s.TRIGGER_GROUP, s.TRIGGER_STATE
                           FROM @rows(:rows, job_name key, job_group key, entry_id text(95)) AS r
                           @then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
                             ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
                           @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                             ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                           WHERE s.TRIGGER_STATE IN ('WAITING', 'ACQUIRED', 'PAUSED')
                           FOR UPDATE OF s SKIP LOCKED) AS k
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = k.TRIGGER_NAME AND t.TRIGGER_GROUP = k.TRIGGER_GROUP
SET t.TRIGGER_STATE = CASE k.TRIGGER_STATE WHEN 'PAUSED' THEN 'PAUSED_BLOCKED' ELSE 'BLOCKED' END;

-- name: deleteReservationsOfTrain
-- Deletes the reservations of triggers that blockTrain has blocked, like deleteReservationsOfJobs.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, IDX_QRTZ_T_J, IDX_QRTZ_FT_T_G. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT e.ENTRY_ID
                   FROM @rows(:rows, job_name key, job_group key, entry_id text(95)) AS r
                   @then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
                     ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
                   @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
                     ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
                   @then QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_T_G)
                     ON e.SCHED_NAME = s.SCHED_NAME AND e.TRIGGER_NAME = s.TRIGGER_NAME AND e.TRIGGER_GROUP = s.TRIGGER_GROUP
                   WHERE e.STATE = 'ACQUIRED');
-- only: mysql
DELETE /*+ NO_MERGE(k) */ t
FROM (SELECT e.ENTRY_ID
      FROM @rows(:rows, job_name key, job_group key, entry_id text(95)) AS r
      @then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
        ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
      @then QRTZ_TRIGGERS AS s @index(IDX_QRTZ_T_J)
        ON s.SCHED_NAME = :schedName AND s.JOB_NAME = r.job_name AND s.JOB_GROUP = r.job_group
      @then QRTZ_FIRED_TRIGGERS AS e @index(IDX_QRTZ_FT_T_G)
        ON e.SCHED_NAME = s.SCHED_NAME AND e.TRIGGER_NAME = s.TRIGGER_NAME AND e.TRIGGER_GROUP = s.TRIGGER_GROUP
      WHERE e.STATE = 'ACQUIRED'
      FOR UPDATE OF s, e SKIP LOCKED) AS k
@then QRTZ_FIRED_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = k.ENTRY_ID;
