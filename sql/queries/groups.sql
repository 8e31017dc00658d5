-- name: selectTriggerGroups
-- Index: IDX_QRTZ_T_G, jumping from group to group; MariaDB 10.11 reads all of the scheduler's entries.
SELECT DISTINCT TRIGGER_GROUP
FROM QRTZ_TRIGGERS @index(IDX_QRTZ_T_G)
WHERE SCHED_NAME = :schedName;

-- name: selectTriggerGroupBehind
-- Selects the next group of triggers, in name order.
-- Index: IDX_QRTZ_T_G, one entry.
SELECT TRIGGER_GROUP
FROM QRTZ_TRIGGERS @index(IDX_QRTZ_T_G)
WHERE SCHED_NAME = :schedName
  AND TRIGGER_GROUP > :afterGroup
ORDER BY TRIGGER_GROUP
LIMIT 1;

-- name: selectJobGroups
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column.
SELECT DISTINCT JOB_GROUP
FROM QRTZ_JOB_DETAILS
WHERE SCHED_NAME = :schedName;

-- name: selectPausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
SELECT TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS
WHERE SCHED_NAME = :schedName;

-- name: selectAnyPausedOf
-- Finds out whether any of these groups is paused. For a script, so the answer has one column and at most one row.
-- rows: names.
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
SELECT 1 AS FOUND
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName
  AND g.TRIGGER_GROUP IN (SELECT n.value FROM json_each(:rows) AS n)
LIMIT 1;
-- only: mysql
SELECT 1 AS FOUND
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName
  AND JSON_CONTAINS(:rows, JSON_QUOTE(g.TRIGGER_GROUP))
LIMIT 1;

-- name: insertPausedGroups
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows inserted.
INSERT INTO QRTZ_PAUSED_TRIGGER_GRPS
      (SCHED_NAME, TRIGGER_GROUP)
SELECT :schedName, r.trigger_group
FROM @rows(:rows, trigger_group key) AS r;

-- name: deletePausedGroups
-- rows: objects with a triggerGroup.
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows deleted.
DELETE FROM QRTZ_PAUSED_TRIGGER_GRPS AS t
USING @rows(:rows, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_GROUP = r.trigger_group;
