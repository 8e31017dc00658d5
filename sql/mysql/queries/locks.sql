-- name: selectLock
-- Waits for the cluster-wide lock and keeps it until the transaction ends. No row: the scheduler has none yet.
-- MariaDB: for longer than for any other row, as there may be a queue (see setWriter).
-- Index: PRIMARY. Locks: one row of QRTZ_LOCKS.
SELECT LOCK_NAME
FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName
  AND LOCK_NAME = :lockName
FOR UPDATE /*M! WAIT 10 */;

-- name: insertLocks
-- At start, so that no two nodes race for a row that is missing. Nodes that start together insert the same rows.
-- Index: PRIMARY.
INSERT IGNORE INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME)
VALUES (:schedName, 'STATE_ACCESS'),
       (:schedName, 'TRIGGER_ACCESS');
