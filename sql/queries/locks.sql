-- name: selectLock
-- Waits for the cluster-wide lock and keeps it until the transaction ends. No row: the scheduler has none yet.
-- MariaDB: for longer than for any other row, as there may be a queue (see setWriter).
-- Index: PRIMARY. Locks: one row of QRTZ_LOCKS.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName;
-- only: mysql
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName
FOR UPDATE /*M! WAIT 10 */;

-- name: insertLocks
-- At start, so that no two nodes race for a row that is missing. Nodes that start together insert the same rows. Only the rows that
-- are missing: to insert one that exists waits for whoever holds that lock, even with IGNORE.
-- rows: names of locks.
-- Index: PRIMARY.
INSERT INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
SELECT :schedName, r.lock_name
FROM @values(:rows, lock_name text(40)) AS r
ON CONFLICT (SCHED_NAME, LOCK_NAME) DO NOTHING;

-- name: selectLockNames
-- The locks that a scheduler has; every one that has started has both. Takes none, so it answers while they are held.
-- Index: PRIMARY, its first column.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName;

-- name: sharePausedGroups
-- For who adds triggers in a transaction of its own, without the cluster-wide lock: what is paused now, whatever snapshot it reads, and it
-- stays so until the end. MySQL refuses to lock the rows of JSON_TABLE, so the table is named; MariaDB has no such clause.
-- rows: names.
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS. Locks: the rows found, shared; under REPEATABLE READ also the places of those that are not there.
SELECT g.TRIGGER_GROUP
FROM @values(:rows, trigger_group key) AS r
@then QRTZ_PAUSED_TRIGGER_GRPS AS g @index(PRIMARY)
  ON g.SCHED_NAME = :schedName AND g.TRIGGER_GROUP = r.trigger_group
FOR SHARE OF g;

-- name: shareCalendars
-- As sharePausedGroups: nobody deletes the calendar of a trigger that he does not see yet.
-- rows: names.
-- Index: PRIMARY of QRTZ_CALENDARS. Locks: the rows found, shared; under REPEATABLE READ also the places of those that are not there.
SELECT k.CALENDAR_NAME
FROM @values(:rows, calendar_name key) AS r
@then QRTZ_CALENDARS AS k @index(PRIMARY)
  ON k.SCHED_NAME = :schedName AND k.CALENDAR_NAME = r.calendar_name
FOR SHARE OF k;
