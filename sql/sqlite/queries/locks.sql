-- name: selectLock
-- BEGIN IMMEDIATE has locked the whole file before this runs; the row is there for tools that look for it.
-- Index: the primary key.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName;

-- name: insertLocks
-- Index: the primary key.
INSERT OR IGNORE INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
VALUES (:schedName, 'STATE_ACCESS'),
       (:schedName, 'TRIGGER_ACCESS');
