-- part: untilJob
-- To :endName and :endGroup; to the last one where they are null. A blob is greater than every text.
-- only: sqlite
  AND (j.JOB_NAME, j.JOB_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
-- only: mysql
  AND (:endName IS NULL OR j.JOB_NAME < :endName OR (j.JOB_NAME = :endName AND j.JOB_GROUP <= :endGroup))

-- part: untilTrigger
-- The same of triggers.
-- only: sqlite
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) <= (COALESCE(:endName, x''), COALESCE(:endGroup, x''))
-- only: mysql
  AND (:endName IS NULL OR t.TRIGGER_NAME < :endName OR (t.TRIGGER_NAME = :endName AND t.TRIGGER_GROUP <= :endGroup))

-- part: jobPage
-- Those behind a key (null: from the first one on) up to another (null: to the last one), in the order of the primary key. The group is compared in a CASE: MariaDB takes a
-- column that equals something for constant, leaves it out of the order, and then no longer sees that the index has that order.
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
-- include: untilJob
  AND (:group IS NULL OR CASE j.JOB_GROUP WHEN :group THEN 1 END = 1)
  AND (:jobType IS NULL OR j.JOB_CLASS_NAME = :jobType)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(j.JOB_GROUP, '/', j.JOB_NAME)), :search) > 0)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT :take

-- name: listJobKeys
-- search: lower case; it, group and jobType: null for any.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
-- include: jobPage;

-- name: selectJobBoundary
-- The key up to which one page of jobs reads where no index helps: that many jobs behind a key.
-- Index: PRIMARY of QRTZ_JOB_DETAILS.
SELECT j.JOB_NAME, j.JOB_GROUP
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND (j.JOB_NAME, j.JOB_GROUP) > (:afterName, :afterGroup)
ORDER BY j.JOB_NAME, j.JOB_GROUP
LIMIT 1 OFFSET :scanned;

-- part: triggerChoice
-- search: lower case. Null for any. The group: see jobPage.
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)

-- part: betweenKeys
-- Those behind a key (null: from the first one on) up to another (null: to the last one).
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
-- include: untilTrigger

-- part: inStates
-- Null for any.
  AND (:states IS NULL OR t.TRIGGER_STATE IN @values(:states, name text(16)))

-- part: inOrderOfKeys
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :take

-- name: listTriggerKeys
-- By name and group.
-- Index: PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- name: listTriggerKeysOfJob
-- Those of one job, by name and group.
-- Index: IDX_QRTZ_T_J, whose entries end with the primary key.
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
-- Those of one calendar, by name and group.
-- Index: IDX_QRTZ_T_C, whose entries end with the primary key.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- name: listTriggerKeysOfGroup
-- Those of one group, by name.
-- Index: IDX_QRTZ_T_G, whose entries end with the primary key.
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
-- As listTriggerKeysOfGroup, where nothing else is asked for: no column is read that the index does not have.
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
-- Those in one state, of which there are few, by name and group.
-- Index: IDX_QRTZ_T_NFT_ST; then sorted.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
-- include: triggerChoice
-- include: betweenKeys
-- include: inStates
-- include: inOrderOfKeys;

-- part: behindTime
-- Those behind a place in the list: of a fire time the higher priority comes first, of a priority the lower key.
  AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
  AND (t.NEXT_FIRE_TIME > :time OR t.PRIORITY < :priority
       OR (t.PRIORITY = :priority AND (t.TRIGGER_GROUP > :afterGroup
                                       OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))))
ORDER BY t.NEXT_FIRE_TIME, t.PRIORITY DESC, t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take

-- name: listTriggerTimes
-- Those in one state by next fire time.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
-- include: triggerChoice
-- include: behindTime;

-- name: listTriggerTimesAlone
-- As listTriggerTimes, where no job and no calendar is asked for: no column is read that the index does not have.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND (:group IS NULL OR CASE t.TRIGGER_GROUP WHEN :group THEN 1 END = 1)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)
-- include: behindTime;

-- name: listTriggerTimesOfJob
-- Those of one job, which has few, by next fire time.
-- Index: IDX_QRTZ_T_J; then sorted.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
-- include: triggerChoice
-- include: inStates
-- include: behindTime;

-- name: listTriggerTimesOfCalendar
-- Those of one calendar, which has few, by next fire time.
-- Index: IDX_QRTZ_T_C; then sorted.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, t.PRIORITY
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
WHERE t.SCHED_NAME = :schedName
  AND t.CALENDAR_NAME = :calendarName
-- include: triggerChoice
-- include: inStates
-- include: behindTime;

-- name: countTriggersInState
-- How many are in one state, up to a number.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
      WHERE t.SCHED_NAME = :schedName
        AND t.TRIGGER_STATE = :state
      LIMIT :most) AS c;

-- name: countTriggersOfJob
-- How many one job has, up to a number.
-- Index: IDX_QRTZ_T_J.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_J)
      WHERE t.SCHED_NAME = :schedName
        AND t.JOB_NAME = :jobName
        AND t.JOB_GROUP = :jobGroup
      LIMIT :most) AS c;

-- name: countTriggersOfCalendar
-- How many one calendar has, up to a number.
-- Index: IDX_QRTZ_T_C.
SELECT COUNT(*) AS TOTAL
FROM (SELECT 1 AS FOUND
      FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_C)
      WHERE t.SCHED_NAME = :schedName
        AND t.CALENDAR_NAME = :calendarName
      LIMIT :most) AS c;

-- name: selectTriggerBoundary
-- The key up to which one page of triggers reads where no index helps: that many triggers behind a key.
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
-- The fire time up to which one page reads the triggers in one state: that of the trigger so many behind a time. No row: there are fewer up to the last time.
-- Index: IDX_QRTZ_T_NFT_ST.
SELECT t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = :state
  AND t.NEXT_FIRE_TIME >= :time
  AND t.NEXT_FIRE_TIME <= :lastTime
ORDER BY t.NEXT_FIRE_TIME
LIMIT 1 OFFSET :scanned;
