-- part: untilJob
-- Jobs up to :endName and :endGroup; if these are null, up to the last job. In SQLite, a blob is greater than every text.
-- only: sqlite
  AND (j.JOB_NAME, j.JOB_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
-- only: mysql
  AND (:endName IS NULL OR j.JOB_NAME < :endName OR (j.JOB_NAME = :endName AND j.JOB_GROUP <= :endGroup))

-- part: untilTrigger
-- The same for triggers.
-- only: sqlite
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
-- only: mysql
  AND (:endName IS NULL OR t.TRIGGER_NAME < :endName OR (t.TRIGGER_NAME = :endName AND t.TRIGGER_GROUP <= :endGroup))

-- part: jobPage
-- Jobs after a key (null: from the first one on) up to another (null: up to the last one), in the order of the primary key. The group is
-- compared in a CASE: MariaDB treats a column that equals a value as constant, drops it from the order, and then no longer uses the order
-- of the index.
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
-- include: untilJob
  AND (:group IS NULL OR CASE j.JOB_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR j.JOB_GROUP IN @values(:groups, name key))
  AND (:jobType IS NULL OR j.JOB_CLASS_NAME = :jobType)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(j.JOB_GROUP, '/', j.JOB_NAME)), :search) > 0)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT :take

-- name: listJobKeys
-- search: lower case. Every filter: null for any.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
-- include: jobPage;

-- name: selectJobBoundary
-- Selects the last key of a page of jobs whose filter no index supports: the job a given number of jobs after a key.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT 1 OFFSET :scanned;

-- part: triggerChoice
-- search: lower case. Every filter: null for any. For the group, see jobPage.
  AND (:waitsForName IS NULL OR EXISTS (SELECT 1
                                        FROM QRTZ_X_PARENTS AS x @index(IDX_QRTZ_X_P_J)
                                        WHERE x.SCHED_NAME = t.SCHED_NAME
                                          AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                          AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                          AND x.JOB_NAME = :waitsForName
                                          AND x.JOB_GROUP = :waitsForGroup
                                          AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN @values(:groups, name key))
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)

-- part: betweenKeys
-- Triggers after a key (null: from the first one on) up to another (null: up to the last one).
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
-- include: untilTrigger

-- part: inStates
-- states: null for any.
  AND (:states IS NULL OR t.TRIGGER_STATE IN @values(:states, name text(16)))

-- part: inOrderOfKeys
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take

-- name: listTriggerKeys
-- Lists triggers by name and group.
-- Index: PRIMARY of QRTZ_TRIGGERS; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- name: listTriggerKeysOfJob
-- Lists the triggers of one job, by name and group.
-- Index: IDX_QRTZ_T_J, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- name: listTriggerKeysOfCalendar
-- Lists the triggers of one calendar, by name and group.
-- Index: IDX_QRTZ_T_C, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- name: listTriggerKeysOfGroup
-- Lists the triggers of one group, by name.
-- Index: IDX_QRTZ_T_G, whose entries end with the primary key; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
ORDER BY t.TRIGGER_NAME
LIMIT :take;

-- name: listTriggerKeysOfGroupAlone
-- Like listTriggerKeysOfGroup, without further filters. Reads only columns of the index.
-- Index: IDX_QRTZ_T_G, whose entries end with the primary key.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
-- include: betweenKeys
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)
ORDER BY t.TRIGGER_NAME
LIMIT :take;

-- name: listTriggerKeysInState
-- Lists the triggers in one state that few triggers have, by name and group.
-- Index: IDX_QRTZ_T_NFT_ST; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- part: behindTime
-- Triggers after a position in the list. Equal fire times are sorted by descending priority, then by key.
  AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take

-- name: listTriggerTimes
-- Lists the triggers in one state, by next fire time.
-- Index: IDX_QRTZ_T_NFT_ST; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
-- include: triggerChoice
-- include: behindTime;

-- name: listTriggerTimesAlone
-- Like listTriggerTimes, without a filter by job or calendar. Reads only columns of the index.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN @values(:groups, name key))
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)
-- include: behindTime;

-- name: listTriggerTimesOfJob
-- Lists the triggers of one job with few triggers, by next fire time.
-- Index: IDX_QRTZ_T_J; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
-- include: triggerChoice
-- include: inStates
-- include: behindTime;

-- name: listTriggerTimesOfCalendar
-- Lists the triggers of one calendar with few triggers, by next fire time.
-- Index: IDX_QRTZ_T_C; then sorted; IDX_QRTZ_X_P_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
-- include: triggerChoice
-- include: inStates
-- include: behindTime;

-- name: countTriggersInState
-- Counts the triggers in one state, up to a maximum.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = :state
      LIMIT :most) AS c;

-- name: countTriggersOfJob
-- Counts the triggers of one job, up to a maximum.
-- Index: IDX_QRTZ_T_J.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
      WHERE t.SCHED_NAME = :schedName
        AND t.JOB_NAME = :jobName
        AND t.JOB_GROUP = :jobGroup
      LIMIT :most) AS c;

-- name: countTriggersOfCalendar
-- Counts the triggers of one calendar, up to a maximum.
-- Index: IDX_QRTZ_T_C.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
      WHERE t.SCHED_NAME = :schedName
        AND t.CALENDAR_NAME = :calendarName
      LIMIT :most) AS c;

-- name: selectTriggerBoundary
-- Selects the last key of a page of triggers whose filter no index supports: the trigger a given number of triggers after a key.
-- Index: PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned;

-- name: selectTriggerBoundaryOfJob
-- The same among the triggers of a job.
-- Index: IDX_QRTZ_T_J.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned;

-- name: selectTriggerBoundaryOfCalendar
-- The same among the triggers of a calendar.
-- Index: IDX_QRTZ_T_C.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT 1 OFFSET :scanned;

-- name: selectTriggerBoundaryOfGroup
-- The same among the triggers of a group.
-- Index: IDX_QRTZ_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP = :group
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME
LIMIT 1 OFFSET :scanned;

-- name: selectTriggerTimeBoundary
-- Selects the last fire time of a page of triggers in one state: that of the trigger a given number of triggers after a time. No row: there
-- are fewer triggers.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
ORDER BY t.NEXT_FIRE_TIME
LIMIT 1 OFFSET :scanned;
