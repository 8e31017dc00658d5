-- name: selectLock
-- BEGIN IMMEDIATE has locked the whole file before this runs; the row is there for tools that look for it.
-- Index: the primary key.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName;

-- name: insertLocks
-- rows: names of locks.
-- Index: the primary key.
INSERT OR IGNORE INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
SELECT :schedName, value
FROM json_each(:rows);

-- name: selectLockNames
-- The locks that a scheduler has; every one that has started has both.
-- Index: the primary key, its first column.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName;

-- name: sharePausedGroups
-- rows: names.
-- Index: the primary key of QRTZ_PAUSED_TRIGGER_GRPS.
SELECT g.TRIGGER_GROUP
FROM QRTZ_PAUSED_TRIGGER_GRPS AS g
WHERE g.SCHED_NAME = :schedName
  AND g.TRIGGER_GROUP IN (SELECT value FROM json_each(:rows));

-- name: shareCalendars
-- rows: names.
-- Index: the primary key of QRTZ_CALENDARS.
SELECT k.CALENDAR_NAME
FROM QRTZ_CALENDARS AS k
WHERE k.SCHED_NAME = :schedName
  AND k.CALENDAR_NAME IN (SELECT value FROM json_each(:rows));
