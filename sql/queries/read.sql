-- part: jobFilter
FROM QRTZ_JOB_DETAILS AS j
WHERE j.SCHED_NAME = :schedName
  AND (:groups IS NULL OR j.JOB_GROUP IN @values(:groups, name key))
  AND (:jobType IS NULL OR j.JOB_CLASS_NAME = :jobType)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(j.JOB_GROUP, '/', j.JOB_NAME)), :search) > 0)

-- name: countJobs
-- groups: names, or null for all. search: lower case.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT COUNT(*) AS TOTAL
-- include: jobFilter;

-- name: selectJobPage
-- Selects one page of the jobs that countJobs counts, by key or type. Equal types are sorted by key.
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column; then sorted.
SELECT j.JOB_NAME, j.JOB_GROUP
-- include: jobFilter
ORDER BY CASE WHEN :sort = 'jobType' AND :descending = 0 THEN j.JOB_CLASS_NAME END,
         CASE WHEN :sort = 'jobType' AND :descending = 1 THEN j.JOB_CLASS_NAME END DESC,
         CASE WHEN :sort = 'key' AND :descending = 1 THEN j.JOB_GROUP END DESC,
         CASE WHEN :sort = 'key' AND :descending = 1 THEN j.JOB_NAME END DESC,
         j.JOB_GROUP, j.JOB_NAME
LIMIT :take OFFSET :skip;

-- part: triggerFilter
FROM QRTZ_TRIGGERS AS t
WHERE t.SCHED_NAME = :schedName
  AND (:groups IS NULL OR t.TRIGGER_GROUP IN @values(:groups, name key))
  AND (:jobGroups IS NULL OR t.JOB_GROUP IN @values(:jobGroups, name key))
  AND (:states IS NULL OR t.TRIGGER_STATE IN @values(:states, name text(16)))
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:afterName IS NULL OR EXISTS (SELECT 1
                                     FROM QRTZ_X_PARENTS AS x @index(PRIMARY)
                                     WHERE x.SCHED_NAME = t.SCHED_NAME
                                       AND x.TRIGGER_NAME = t.TRIGGER_NAME
                                       AND x.TRIGGER_GROUP = t.TRIGGER_GROUP
                                       AND x.JOB_NAME = :afterName
                                       AND x.JOB_GROUP = :afterGroup
                                       AND t.TRIGGER_TYPE = 'AFTER'))
  AND (:calendarName IS NULL OR t.CALENDAR_NAME = :calendarName)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0)

-- name: countTriggers
-- groups, jobGroups, states: names, or null for all. search: lower case.
-- Index: PRIMARY of QRTZ_TRIGGERS, its first column, or what the optimizer finds for the filter given.
SELECT COUNT(*) AS TOTAL
-- include: triggerFilter;

-- name: selectTriggerPage
-- Selects one page of the triggers that countTriggers counts. direction: 1, or -1 for descending. Null fire times come last in both
-- directions, and equal values are sorted by key.
-- Index: PRIMARY of QRTZ_TRIGGERS, its first column, or what the optimizer finds for the filter given; then sorted.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
-- include: triggerFilter
ORDER BY CASE :sort WHEN 'nextFireTime' THEN (t.NEXT_FIRE_TIME = -1 OR t.TRIGGER_TYPE = 'AFTER')
                    WHEN 'previousFireTime' THEN t.PREV_FIRE_TIME = -1 END,
         CASE WHEN :direction = 1 THEN CASE :sort WHEN 'nextFireTime' THEN t.NEXT_FIRE_TIME
                                                  WHEN 'previousFireTime' THEN t.PREV_FIRE_TIME
                                                  WHEN 'priority' THEN t.PRIORITY END END,
         CASE WHEN :direction = -1 THEN CASE :sort WHEN 'nextFireTime' THEN t.NEXT_FIRE_TIME
                                                   WHEN 'previousFireTime' THEN t.PREV_FIRE_TIME
                                                   WHEN 'priority' THEN t.PRIORITY END END DESC,
         CASE WHEN :sort = 'key' AND :direction = -1 THEN t.TRIGGER_GROUP END DESC,
         CASE WHEN :sort = 'key' AND :direction = -1 THEN t.TRIGGER_NAME END DESC,
         t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :take OFFSET :skip;
