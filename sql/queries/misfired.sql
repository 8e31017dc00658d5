-- First due times of triggers whose fire time a misfire has moved.

-- name: upsertMisfired
-- Stores when triggers were first due. rows: trigger, its priority, its present fire time, its first due time.
-- Index: PRIMARY of QRTZ_X_MISFIRED. Locks: the rows written.
INSERT INTO QRTZ_X_MISFIRED (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PRIORITY, NEXT_FIRE_TIME, FIRST_DUE_TIME)
SELECT :schedName, r.trigger_name, r.trigger_group, r.priority, r.next_fire_time, r.first_due_time
FROM @list(:rows, trigger_name key, trigger_group key, priority int, next_fire_time int, first_due_time int) AS r
ON CONFLICT (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) DO UPDATE SET
  PRIORITY = excluded.PRIORITY,
  NEXT_FIRE_TIME = excluded.NEXT_FIRE_TIME,
  FIRST_DUE_TIME = excluded.FIRST_DUE_TIME;

-- name: deleteMisfired
-- Deletes the first due times of triggers that fire, are paused, or are deleted. rows: keys of triggers. Sent only if one of them may have a row.
-- Index: PRIMARY of QRTZ_X_MISFIRED. Locks: the rows deleted.
DELETE FROM QRTZ_X_MISFIRED AS t
USING @list(:rows, trigger_name key, trigger_group key) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group;

-- name: selectStaleMisfired
-- Selects the first due times of triggers that are deleted or have another fire time, for example because a Java node fired them. Sent
-- periodically.
-- Index: PRIMARY of QRTZ_X_MISFIRED, its first column, and of QRTZ_TRIGGERS.
SELECT m.TRIGGER_NAME, m.TRIGGER_GROUP
FROM QRTZ_X_MISFIRED AS m @index(PRIMARY)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = m.SCHED_NAME AND t.TRIGGER_NAME = m.TRIGGER_NAME AND t.TRIGGER_GROUP = m.TRIGGER_GROUP
WHERE m.SCHED_NAME = :schedName
  AND (t.NEXT_FIRE_TIME IS NULL OR t.NEXT_FIRE_TIME <> m.NEXT_FIRE_TIME)
LIMIT :limit;
