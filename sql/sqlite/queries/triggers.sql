-- name: selectStored
-- What scheduling asks first: which triggers and jobs that should be new are stored, by their positions in the sets, of which jobs
-- triggers wait for the end, and all paused groups. One statement, because none needs another's answer.
-- triggers, jobs, followable: lists of names and groups.
-- Index: The primary keys of QRTZ_TRIGGERS, QRTZ_JOB_DETAILS and, its first column, of QRTZ_PAUSED_TRIGGER_GRPS; IDX_QRTZ_X_P_J.
SELECT 'trigger' AS KIND, json_each.key AS POSITION, NULL AS TRIGGER_GROUP
FROM json_each(:triggers)
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = json_each.value ->> 0
  AND t.TRIGGER_GROUP = json_each.value ->> 1
UNION ALL
SELECT 'job', json_each.key, NULL
FROM json_each(:jobs)
CROSS JOIN QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND j.JOB_NAME = json_each.value ->> 0
  AND j.JOB_GROUP = json_each.value ->> 1
UNION ALL
SELECT 'followed', json_each.key, NULL
FROM json_each(:followable)
WHERE EXISTS (SELECT 1
              FROM QRTZ_X_PARENTS AS x INDEXED BY IDX_QRTZ_X_P_J
              WHERE x.SCHED_NAME = :schedName
                AND x.JOB_NAME = json_each.value ->> 0
                AND x.JOB_GROUP = json_each.value ->> 1)
UNION ALL
SELECT 'pausedGroup', NULL, g.TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName;

-- name: setTriggerStates
-- Moves triggers from the state they were read in to another; fewer rows than asked for: somebody was faster.
-- Index: The primary key of QRTZ_TRIGGERS.
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
  AND t.TRIGGER_STATE = r.from_state;

-- name: advanceTriggers
-- Moves triggers on in their schedule: after a firing, a misfire or another calendar. Compare-and-set on the fire time too:
-- the state alone would let an old reading win.
-- Index: The primary key of QRTZ_TRIGGERS.
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
  AND t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;

-- name: advanceSimpleTriggers
-- The rest of a SIMPLE trigger that was moved on. Only beside advanceTriggers, whose count guards both.
-- Index: The primary key of QRTZ_SIMPLE_TRIGGERS.
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
-- The rest of a CAL_INT or DAILY_I trigger that was moved on: how often it fired.
-- Index: The primary key of QRTZ_SIMPROP_TRIGGERS.
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
-- jobData: hexadecimal.
-- Index: The primary key of QRTZ_TRIGGERS.
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
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.description, r.next_fire_time,
       r.previous_fire_time, r.priority, r.trigger_state, r.trigger_type, r.start_time, r.end_time, r.calendar_name,
       r.misfire_instruction, unhex(r.job_data)
FROM r;

-- name: insertAlikeTriggers
-- As insertTriggers, for triggers that differ in their names, jobs and times alone: the rest is read once, not of each row.
-- jobData: hexadecimal.
-- Index: The primary key of QRTZ_TRIGGERS.
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
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.job_name, r.job_group, :description, r.next_fire_time,
       :previousFireTime, :priority, :triggerState, :triggerType, r.start_time, :endTime, :calendarName,
       :misfireInstruction, unhex(:jobData)
FROM r;

-- name: updateTriggers
-- A new definition under a stored key, over the one that was read. jobData: hexadecimal.
-- Index: The primary key of QRTZ_TRIGGERS.
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
  AND t.TRIGGER_STATE = r.from_state
  AND t.NEXT_FIRE_TIME = r.from_time;

-- name: insertSimpleTriggers
-- The rest of SIMPLE triggers.
-- Index: The primary key of QRTZ_SIMPLE_TRIGGERS.
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
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.repeat_count, r.repeat_interval, r.times_triggered
FROM r;

-- name: insertAlikeSimpleTriggers
-- The rest of SIMPLE triggers that have it in common.
-- Index: The primary key of QRTZ_SIMPLE_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group
  FROM json_each(:rows))
INSERT INTO QRTZ_SIMPLE_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, REPEAT_COUNT, REPEAT_INTERVAL, TIMES_TRIGGERED)
SELECT r.sched_name, r.trigger_name, r.trigger_group, :repeatCount, :repeatInterval, :timesTriggered
FROM r;

-- name: insertCronTriggers
-- The rest of CRON triggers.
-- Index: The primary key of QRTZ_CRON_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS trigger_name,
         value ->> 1 AS trigger_group,
         value ->> 2 AS cron_expression,
         value ->> 3 AS time_zone
  FROM json_each(:rows))
INSERT INTO QRTZ_CRON_TRIGGERS
      (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, CRON_EXPRESSION, TIME_ZONE_ID)
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.cron_expression, r.time_zone
FROM r;

-- name: insertSimpropTriggers
-- The rest of CAL_INT and DAILY_I triggers; which column means what is in src/store/sql/row-formats.
-- Index: The primary key of QRTZ_SIMPROP_TRIGGERS.
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
SELECT r.sched_name, r.trigger_name, r.trigger_group, r.text1, r.text2, r.text3, r.number1, r.number2, r.number3,
       r.flag1, r.flag2
FROM r;

-- name: deleteSimpleTriggers
-- Before their triggers go, or become of another kind.
-- Index: The primary key of QRTZ_SIMPLE_TRIGGERS.
DELETE FROM QRTZ_SIMPLE_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: deleteCronTriggers
-- Before their triggers go, or become of another kind.
-- Index: The primary key of QRTZ_CRON_TRIGGERS.
DELETE FROM QRTZ_CRON_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: deleteSimpropTriggers
-- Before their triggers go, or become of another kind.
-- Index: The primary key of QRTZ_SIMPROP_TRIGGERS.
DELETE FROM QRTZ_SIMPROP_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: deleteBlobTriggers
-- What only Java reads, of triggers that go.
-- Index: The primary key of QRTZ_BLOB_TRIGGERS.
DELETE FROM QRTZ_BLOB_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: deleteTriggers
-- Their rows of the other tables must be gone.
-- Index: IDX_QRTZ_T_G, which has all columns of the key.
DELETE FROM QRTZ_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND (TRIGGER_NAME, TRIGGER_GROUP) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:rows));

-- name: deleteReservationsOfTriggers
-- Ends the reservations of triggers that were paused, replaced, deleted or settled: who holds one loses by its row count.
-- Index: IDX_QRTZ_FT_T_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT t.ENTRY_ID
                   FROM r
                   CROSS JOIN QRTZ_FIRED_TRIGGERS AS t INDEXED BY IDX_QRTZ_FT_T_G
                   WHERE t.SCHED_NAME = r.sched_name
                   AND t.TRIGGER_NAME = r.trigger_name
                   AND t.TRIGGER_GROUP = r.trigger_group
                   AND t.STATE = 'ACQUIRED');

-- name: selectTriggersOfJobs
-- What a change of whole jobs touches.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group;

-- name: selectTriggersOfGroups
-- rows: the names of trigger groups.
-- Index: IDX_QRTZ_T_G.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectFurtherRuns
-- The triggers that run occurrences of other triggers again or later, with the data that says of which.
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
-- The same of these jobs.
-- Index: IDX_QRTZ_T_J.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'jobName' AS job_name,
         value ->> 'jobGroup' AS job_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE, t.JOB_NAME, t.JOB_GROUP, t.JOB_DATA
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t INDEXED BY IDX_QRTZ_T_J
WHERE t.SCHED_NAME = r.sched_name
  AND t.JOB_NAME = r.job_name
  AND t.JOB_GROUP = r.job_group
  AND (t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS', 'SHARDED_JOBS', 'CHAINED_JOBS')
       OR (t.TRIGGER_GROUP >= 'BACKFILL_' AND t.TRIGGER_GROUP < 'BACKFILL`'));

-- name: selectStates
-- The states of the triggers, of those that are stored.
-- Index: The primary key of QRTZ_TRIGGERS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerName' AS trigger_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.TRIGGER_NAME = r.trigger_name
  AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectTriggersOfCalendars
-- rows: the names of calendars.
-- Index: IDX_QRTZ_T_C.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value AS calendar_name
  FROM json_each(:rows))
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME, t.TRIGGER_STATE
FROM r
CROSS JOIN QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = r.sched_name
  AND t.CALENDAR_NAME = r.calendar_name;
