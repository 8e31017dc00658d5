-- name: selectTriggerGroups
-- Index: IDX_QRTZ_T_G, jumping from group to group.
SELECT DISTINCT TRIGGER_GROUP
FROM QRTZ_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: selectTriggerGroupBehind
-- The next group of triggers, in the order of their names.
-- Index: IDX_QRTZ_T_G, one entry.
SELECT TRIGGER_GROUP
FROM QRTZ_TRIGGERS INDEXED BY IDX_QRTZ_T_G
WHERE SCHED_NAME = :schedName
  AND TRIGGER_GROUP > :afterGroup
ORDER BY TRIGGER_GROUP
LIMIT 1;

-- name: selectJobGroups
-- Index: The primary key of QRTZ_JOB_DETAILS, its first column.
SELECT DISTINCT JOB_GROUP
FROM QRTZ_JOB_DETAILS
WHERE SCHED_NAME = :schedName;

-- name: selectPausedGroups
-- Index: The primary key of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
SELECT TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS
WHERE SCHED_NAME = :schedName;

-- name: insertPausedGroups
-- Index: The primary key of QRTZ_PAUSED_TRIGGER_GRPS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 'triggerGroup' AS trigger_group
  FROM json_each(:rows))
INSERT INTO QRTZ_PAUSED_TRIGGER_GRPS
      (SCHED_NAME, TRIGGER_GROUP)
SELECT r.sched_name, r.trigger_group
FROM r;

-- name: deletePausedGroups
-- rows: objects with a triggerGroup.
-- Index: The primary key of QRTZ_PAUSED_TRIGGER_GRPS.
DELETE FROM QRTZ_PAUSED_TRIGGER_GRPS
WHERE SCHED_NAME = :schedName
  AND TRIGGER_GROUP IN (SELECT value ->> 'triggerGroup' FROM json_each(:rows));
