-- name: selectLock
-- Waits for the cluster-wide lock and keeps it until the transaction ends. No row: the scheduler has no lock rows yet.
-- On MariaDB, it waits longer than for any other row, because there may be a queue (see setWriter).
-- Index: PRIMARY. Locks: one row of QRTZ_LOCKS.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName
FOR UPDATE /*M! WAIT 10 */;

-- name: advanceLock
-- With several writers (`jobStore.writers: several`), follows selectLock. Servers of a cluster compare at the commit the rows that transactions have
-- changed; none of them sees the row locks of another. A change of this row makes two holders of one lock conflict, and one of them repeats.
-- Index: PRIMARY of QRTZ_X_META. Locks: the row.
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES (:schedName, CONCAT('lock.', :lockName), '1')
ON CONFLICT (SCHED_NAME, META_KEY) DO UPDATE SET
  META_VALUE = QRTZ_X_META.META_VALUE + 1;

-- name: insertLocks
-- Creates missing lock rows at start, so that no two nodes race for a missing row. Nodes that start together insert the same rows. Inserts
-- only missing rows, because inserting an existing one waits for the holder of that lock, even with IGNORE.
-- rows: names of locks.
-- Index: PRIMARY.
INSERT INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
SELECT :schedName, r.lock_name
FROM @values(:rows, lock_name text(40)) AS r
ON CONFLICT (SCHED_NAME, LOCK_NAME) DO NOTHING;

-- name: selectLockNames
-- Selects the locks of a scheduler; every started scheduler has both. Takes no lock, so it answers while they are held.
-- Index: PRIMARY, its first column.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName;

-- name: sharePausedGroups
-- Locks paused groups for a caller's transaction that adds triggers without the cluster-wide lock. It reads the groups that are paused now,
-- whatever snapshot the transaction has, and they stay paused until the transaction ends. MySQL cannot lock the rows of JSON_TABLE, so the
-- table is named; MariaDB has no such clause.
-- rows: names.
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows found, shared; under REPEATABLE READ also the gaps where rows are missing.
SELECT g.TRIGGER_GROUP
FROM @values(:rows, trigger_group key) AS r
@then QRTZ_PAUSED_TRIGGER_GRPS AS g @index(PRIMARY)
  ON g.SCHED_NAME = :schedName AND g.TRIGGER_GROUP = r.trigger_group
FOR SHARE OF g;

-- name: shareCalendars
-- Like sharePausedGroups, for calendars: no other transaction can delete the calendar of a trigger that is not committed yet.
-- rows: names.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows found, shared; under REPEATABLE READ also the gaps where rows are missing.
SELECT k.CALENDAR_NAME
FROM @values(:rows, calendar_name key) AS r
@then QRTZ_CALENDARS AS k @index(PRIMARY)
  ON k.SCHED_NAME = :schedName AND k.CALENDAR_NAME = r.calendar_name
FOR SHARE OF k;
