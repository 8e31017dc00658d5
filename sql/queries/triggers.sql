-- name: selectStored
-- Selects in one statement what scheduling reads first: which of the triggers and jobs to store exist already (by their positions in the
-- sets), which jobs have triggers that wait for their end, and all paused groups.
-- triggers, jobs, followable: lists of names and groups.
-- Index: PRIMARY of QRTZ_TRIGGERS, QRTZ_JOB_DETAILS and, its first column, of QRTZ_PAUSED_TRIGGER_GRPS; IDX_QRTZ_X_P_J.
SELECT 'trigger' AS KIND, r.position AS POSITION, NULL AS TRIGGER_GROUP
FROM @list(:triggers, position place, trigger_name key, trigger_group key) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
UNION ALL
SELECT 'job', r2.position, NULL
FROM @list(:jobs, position place, job_name key, job_group key) AS r2
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = :schedName AND j.JOB_NAME = r2.job_name AND j.JOB_GROUP = r2.job_group
UNION ALL
SELECT 'followed', r3.position, NULL
FROM @list(:followable, position place, job_name key, job_group key) AS r3
WHERE EXISTS (SELECT 1
              FROM QRTZ_X_PARENTS AS x @index(IDX_QRTZ_X_P_J)
              WHERE x.SCHED_NAME = :schedName AND x.JOB_NAME = r3.job_name AND x.JOB_GROUP = r3.job_group)
UNION ALL
SELECT 'pausedGroup', NULL, g.TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName;

-- name: setTriggerStates
-- Moves triggers from the state in which they were read to another one. Fewer rows than requested: another transaction was faster.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = r.to_state
FROM @rows(:rows, trigger_name key, trigger_group key, from_state text(16), to_state text(16)) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = r.from_state;

-- name: advanceTriggers
-- Advances triggers in their schedule after a firing, a misfire or a change of calendar. The compare-and-set includes the fire time,
-- because with the state alone an old reading could win. An insert that only finds existing rows: see sql/README.md.
-- counts: twice
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET NEXT_FIRE_TIME = r.next_fire_time,
    PREV_FIRE_TIME = r.previous_fire_time,
    START_TIME = r.start_time,
    TRIGGER_STATE = r.to_state
FROM @list(:rows, trigger_name key, trigger_group key, from_state text(16), from_time int, to_state text(16), next_fire_time int,
           previous_fire_time int, start_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;
-- only: mysql
INSERT INTO QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, TRIGGER_STATE, TRIGGER_TYPE, START_TIME)
SELECT t.SCHED_NAME, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, '', '', 0
FROM @list(:rows, trigger_name key, trigger_group key, from_state text(16), from_time int, to_state text(16), next_fire_time int,
                  previous_fire_time int, start_time int) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time
FOR UPDATE OF t
ON DUPLICATE KEY UPDATE
  NEXT_FIRE_TIME = r.next_fire_time,
  PREV_FIRE_TIME = r.previous_fire_time,
  START_TIME = r.start_time,
  TRIGGER_STATE = r.to_state;

-- name: advanceSimpleTriggers
-- Advances the type row of SIMPLE triggers. Sent with advanceTriggers, which guards both rows. A missing row would be inserted and count
-- once, so the transaction is undone.
-- counts: twice
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_SIMPLE_TRIGGERS AS t
SET REPEAT_COUNT = r.repeat_count,
    TIMES_TRIGGERED = r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, repeat_count int, times_triggered int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;
-- only: mysql
INSERT INTO QRTZ_SIMPLE_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, r.repeat_count, 0, r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, repeat_count int, times_triggered int) AS r
ON DUPLICATE KEY UPDATE
  REPEAT_COUNT = r.repeat_count,
  TIMES_TRIGGERED = r.times_triggered;

-- name: advanceSimpropTriggers
-- Advances the type row of CAL_INT and DAILY_I triggers: the number of their firings. Like advanceSimpleTriggers.
-- counts: twice
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows changed.
UPDATE QRTZ_SIMPROP_TRIGGERS AS t
SET INT_PROP_2 = r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, times_triggered int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;
-- only: mysql
INSERT INTO QRTZ_SIMPROP_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, INT_PROP_2)
SELECT :schedName, r.trigger_name, r.trigger_group, r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, times_triggered int) AS r
ON DUPLICATE KEY UPDATE
  INT_PROP_2 = r.times_triggered;

-- name: insertTriggers
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME, PREV_FIRE_TIME,
       PRIORITY, TRIGGER_STATE, TRIGGER_TYPE, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA)
SELECT :schedName, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.description, r.next_fire_time,
       r.previous_fire_time, r.priority, r.trigger_state, r.trigger_type, r.start_time, r.end_time, r.calendar_name,
       r.misfire_instruction, DECODE(r.job_data, 'hex')
FROM @list(:rows, trigger_name key, trigger_group key, job_name key, job_group key, next_fire_time int, start_time int,
                  previous_fire_time int, priority int, trigger_state text(16), trigger_type text(16), end_time int,
                  misfire_instruction int, description text(250) null, calendar_name key null, job_data text null) AS r;

-- name: insertTrigger
-- Like insertTriggers, for one trigger. The server needs no temporary table for it. Columns in the order of the lists of insertTriggers.
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the row inserted.
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, NEXT_FIRE_TIME, START_TIME, PREV_FIRE_TIME, PRIORITY,
       TRIGGER_STATE, TRIGGER_TYPE, END_TIME, MISFIRE_INSTR, DESCRIPTION, CALENDAR_NAME, JOB_DATA)
VALUES (:schedName, :triggerName, :triggerGroup, :jobName, :jobGroup, :nextFireTime, :startTime, :previousFireTime, :priority,
        :triggerState, :triggerType, :endTime, :misfireInstruction, :description, :calendarName,
        DECODE(:jobData, 'hex'));

-- name: insertAlikeTriggers
-- Like insertTriggers, for triggers that differ only in their names, jobs and times. The server reads the other values once instead of for
-- each row, which takes two thirds of the time.
-- jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, DESCRIPTION, NEXT_FIRE_TIME, PREV_FIRE_TIME,
       PRIORITY, TRIGGER_STATE, TRIGGER_TYPE, START_TIME, END_TIME, CALENDAR_NAME, MISFIRE_INSTR, JOB_DATA)
SELECT :schedName, r.trigger_name, r.trigger_group, r.job_name, r.job_group, :description, r.next_fire_time,
       :previousFireTime, :priority, :triggerState, :triggerType, r.start_time, :endTime, :calendarName,
       :misfireInstruction, DECODE(:jobData, 'hex')
FROM @list(:rows, trigger_name key, trigger_group key, job_name key, job_group key, next_fire_time int, start_time int) AS r;

-- name: updateTriggers
-- Replaces the definition under a stored key, if it is unchanged since it was read. jobData: hexadecimal.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows changed.
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
    JOB_DATA = DECODE(r.job_data, 'hex')
FROM @list(:rows, trigger_name key, trigger_group key, job_name key, job_group key, next_fire_time int, start_time int,
                  previous_fire_time int, priority int, trigger_state text(16), trigger_type text(16), end_time int,
                  misfire_instruction int, description text(250) null, calendar_name key null, job_data text null,
                  from_state text(16), from_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;

-- name: insertSimpleTriggers
-- Inserts the type rows of SIMPLE triggers.
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, r.repeat_count, r.repeat_interval, r.times_triggered
FROM @list(:rows, trigger_name key, trigger_group key, repeat_count int, repeat_interval int, times_triggered int) AS r;

-- name: insertSimpleTrigger
-- Inserts the type row of one SIMPLE trigger.
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the row inserted.
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
VALUES (:schedName, :triggerName, :triggerGroup, :repeatCount, :repeatInterval, :timesTriggered);

-- name: insertAlikeSimpleTriggers
-- Inserts the type rows of SIMPLE triggers with common values.
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT :schedName, r.trigger_name, r.trigger_group, :repeatCount, :repeatInterval, :timesTriggered
FROM @list(:rows, trigger_name key, trigger_group key) AS r;

-- name: insertCronTriggers
-- Inserts the type rows of CRON triggers.
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_CRON_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, CRON_EXPRESSION, TIME_ZONE_ID)
SELECT :schedName, r.trigger_name, r.trigger_group, r.cron_expression, r.time_zone
FROM @list(:rows, trigger_name key, trigger_group key, cron_expression key, time_zone key) AS r;

-- name: insertSimpropTriggers
-- Inserts the type rows of CAL_INT and DAILY_I triggers. src/store/sql/rows/trigger-kinds.ts defines the meaning of the columns.
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows inserted.
INSERT INTO QRTZ_SIMPROP_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, STR_PROP_1, STR_PROP_2, STR_PROP_3, INT_PROP_1, INT_PROP_2,
       LONG_PROP_1, BOOL_PROP_1, BOOL_PROP_2)
SELECT :schedName, r.trigger_name, r.trigger_group, r.text1, r.text2, r.text3, r.number1, r.number2, r.number3,
       r.flag1, r.flag2
FROM @list(:rows, trigger_name key, trigger_group key, text1 text(512), text2 text(512), text3 text(512) null, number1 int,
                  number2 int, number3 int, flag1 text(1) null, flag2 text(1) null) AS r;

-- name: deleteSimpleTriggers
-- Deletes type rows, before their triggers are deleted or change their type.
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_SIMPLE_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteCronTriggers
-- Deletes type rows, before their triggers are deleted or change their type.
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_CRON_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteSimpropTriggers
-- Deletes type rows, before their triggers are deleted or change their type.
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_SIMPROP_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteBlobTriggers
-- Deletes the type rows of triggers that only Java reads, with their triggers.
-- Index: PRIMARY of QRTZ_BLOB_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_BLOB_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteTriggers
-- Deletes triggers. Their rows in the other tables must be deleted first.
-- Index: PRIMARY of QRTZ_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_TRIGGERS AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: deleteReservationsOfTriggers
-- Deletes the reservations of triggers that were paused, replaced, deleted, or set to COMPLETE or ERROR. A node that holds one detects the
-- loss by the row count of its next statement.
-- Index: IDX_QRTZ_FT_T_G. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t @index(IDX_QRTZ_FT_T_G)
USING @rows(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.STATE = 'ACQUIRED';

-- name: selectTriggersOfJobs
-- Selects the triggers that a change of whole jobs affects.
-- Index: IDX_QRTZ_T_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group;

-- name: selectTriggersOfGroups
-- rows: names of trigger groups.
-- Index: IDX_QRTZ_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM @values(:rows, trigger_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectFurtherRuns
-- Selects the triggers of retries, reruns, recoveries, deferred firings, parts, chained runs and backfills. Their data identifies the original
-- trigger.
-- Index: IDX_QRTZ_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS', 'SHARDED_JOBS', 'CHAINED_JOBS')
UNION ALL
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP >= 'BACKFILL_'
  AND t.TRIGGER_GROUP < 'BACKFILL`';

-- name: selectFurtherRunsOfJobs
-- The same for these jobs.
-- Index: IDX_QRTZ_T_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM @rows(:rows, job_name key, job_group key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
  ON t.SCHED_NAME = :schedName AND t.JOB_NAME = r.job_name AND t.JOB_GROUP = r.job_group
WHERE t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS', 'SHARDED_JOBS', 'CHAINED_JOBS')
   OR (t.TRIGGER_GROUP >= 'BACKFILL_' AND t.TRIGGER_GROUP < 'BACKFILL`');

-- name: selectStates
-- Selects the states of triggers. No row: the trigger is not stored.
-- Index: PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE
FROM @rows(:rows, trigger_name key, trigger_group key) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectTriggersOfCalendars
-- rows: names of calendars.
-- Index: IDX_QRTZ_T_C.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM @values(:rows, calendar_name key) AS r
@then QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
  ON t.SCHED_NAME = :schedName AND t.CALENDAR_NAME = r.calendar_name;
