-- Jobs and triggers with `mustSucceedWithin`. Written under the lock.

-- name: upsertExpectations
-- Stores expectations, replacing earlier ones. rows: owner, its job, and the expectation.
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows written.
INSERT INTO QRTZ_X_EXPECTATIONS
      (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER, JOB_NAME, JOB_GROUP, WITHIN_MS, SINCE_TIME, DUE_TIME, LAST_SUCCESS, NOTIFIED)
SELECT :schedName, r.owner_name, r.owner_group, r.owner, r.job_name, r.job_group, r.within_ms, r.since_time, r.due_time, NULL, '0'
FROM @list(:rows, owner_name key, owner_group key, owner text(8), job_name key, job_group key, within_ms int, since_time int,
                  due_time int) AS r
ON CONFLICT (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER) DO UPDATE SET
  JOB_NAME = excluded.JOB_NAME,
  JOB_GROUP = excluded.JOB_GROUP,
  WITHIN_MS = excluded.WITHIN_MS,
  SINCE_TIME = excluded.SINCE_TIME,
  DUE_TIME = excluded.DUE_TIME,
  LAST_SUCCESS = NULL,
  NOTIFIED = '0';

-- name: changeExpectations
-- Changes the allowed time, and keeps the time at which it began. rows: owner and allowed time.
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
UPDATE QRTZ_X_EXPECTATIONS AS t
SET WITHIN_MS = r.within_ms, DUE_TIME = t.SINCE_TIME + r.within_ms, NOTIFIED = '0'
FROM @list(:rows, owner_name key, owner_group key, owner text(8), within_ms int) AS r
  ON t.SCHED_NAME = :schedName AND t.OWNER_NAME = r.owner_name AND t.OWNER_GROUP = r.owner_group AND t.OWNER = r.owner;

-- name: meetExpectations
-- Restarts the time at a success, and lets the next lapse be reported. Rows need not exist. rows: owner and time of the success.
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
UPDATE QRTZ_X_EXPECTATIONS AS t
SET LAST_SUCCESS = r.success, SINCE_TIME = r.success, DUE_TIME = r.success + t.WITHIN_MS, NOTIFIED = '0'
FROM @list(:rows, owner_name key, owner_group key, owner text(8), success int) AS r
  ON t.SCHED_NAME = :schedName AND t.OWNER_NAME = r.owner_name AND t.OWNER_GROUP = r.owner_group AND t.OWNER = r.owner
WHERE t.LAST_SUCCESS IS NULL
   OR t.LAST_SUCCESS < r.success;

-- name: selectNextExpectation
-- Selects the time at which the next unreported expectation becomes overdue. If there are no expectations, no other statement is sent.
-- Index: IDX_QRTZ_X_E_D, without reading a row.
SELECT t.DUE_TIME
FROM QRTZ_X_EXPECTATIONS AS t @index(IDX_QRTZ_X_E_D)
WHERE t.SCHED_NAME = :schedName
  AND t.NOTIFIED = '0'
ORDER BY t.DUE_TIME
LIMIT 1;

-- name: selectDueExpectations
-- Index: IDX_QRTZ_X_E_D in its order.
SELECT t.OWNER, t.OWNER_NAME, t.OWNER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.WITHIN_MS, t.SINCE_TIME, t.LAST_SUCCESS
FROM QRTZ_X_EXPECTATIONS AS t @index(IDX_QRTZ_X_E_D)
WHERE t.SCHED_NAME = :schedName
  AND t.NOTIFIED = :isNotified
  AND t.DUE_TIME <= :now
ORDER BY t.DUE_TIME
LIMIT :limit;

-- name: notifyExpectations
-- Marks expectations as reported. Fewer rows than requested: another node was faster, or the owner has succeeded.
-- rows: owner and due time.
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows changed.
UPDATE QRTZ_X_EXPECTATIONS AS t
SET NOTIFIED = '1'
FROM @list(:rows, owner_name key, owner_group key, owner text(8), due_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.OWNER_NAME = r.owner_name AND t.OWNER_GROUP = r.owner_group AND t.OWNER = r.owner
WHERE t.NOTIFIED = '0'
  AND t.DUE_TIME = r.due_time;

-- name: deleteExpectations
-- Deletes expectations of owners that are gone, or no longer have the setting. rows: owner and due time.
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS. Locks: the rows deleted.
DELETE FROM QRTZ_X_EXPECTATIONS AS t
USING @list(:rows, owner_name key, owner_group key, owner text(8), due_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.OWNER_NAME = r.owner_name AND t.OWNER_GROUP = r.owner_group AND t.OWNER = r.owner
WHERE t.DUE_TIME = r.due_time;
