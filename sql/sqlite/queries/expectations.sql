-- What must succeed within a time. Written under the lock.

-- name: upsertExpectations
-- rows: owner, its job, and what is expected of it from now on, whatever was before.
-- Index: The primary key of QRTZ_X_EXPECTATIONS.
INSERT INTO QRTZ_X_EXPECTATIONS
      (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER, JOB_NAME, JOB_GROUP, WITHIN_MS, SINCE_TIME, DUE_TIME, LAST_SUCCESS, TOLD)
SELECT :schedName, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
       NULL, '0'
FROM json_each(:rows)
WHERE true -- or ON belongs to a join
ON CONFLICT DO UPDATE SET
  JOB_NAME = excluded.JOB_NAME,
  JOB_GROUP = excluded.JOB_GROUP,
  WITHIN_MS = excluded.WITHIN_MS,
  SINCE_TIME = excluded.SINCE_TIME,
  DUE_TIME = excluded.DUE_TIME,
  LAST_SUCCESS = NULL,
  TOLD = '0';

-- name: changeExpectations
-- rows: owner and another time that it may take: it counts from when it counted before.
-- Index: The primary key of QRTZ_X_EXPECTATIONS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS within_ms
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET WITHIN_MS = r.within_ms, DUE_TIME = t.SINCE_TIME + r.within_ms, TOLD = '0'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner;

-- name: meetExpectations
-- rows: owner and when a run of it succeeded. It counts from there, and its next lapse will be told of; there need be no such row.
-- Index: The primary key of QRTZ_X_EXPECTATIONS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS success
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET LAST_SUCCESS = r.success, SINCE_TIME = r.success, DUE_TIME = r.success + t.WITHIN_MS, TOLD = '0'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner
  AND (t.LAST_SUCCESS IS NULL OR t.LAST_SUCCESS < r.success);

-- name: selectNextExpectation
-- When the next one is overdue that nobody was told of: the only thing asked where nothing is expected.
-- Index: IDX_QRTZ_X_E_D, without reading a row.
SELECT t.DUE_TIME
FROM QRTZ_X_EXPECTATIONS AS t INDEXED BY IDX_QRTZ_X_E_D
WHERE t.SCHED_NAME = :schedName
  AND t.TOLD = '0'
ORDER BY t.DUE_TIME
LIMIT 1;

-- name: selectDueExpectations
-- Index: IDX_QRTZ_X_E_D in its order.
SELECT t.OWNER, t.OWNER_NAME, t.OWNER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.WITHIN_MS, t.SINCE_TIME, t.LAST_SUCCESS
FROM QRTZ_X_EXPECTATIONS AS t INDEXED BY IDX_QRTZ_X_E_D
WHERE t.SCHED_NAME = :schedName
  AND t.TOLD = :told
  AND t.DUE_TIME <= :now
ORDER BY t.DUE_TIME
LIMIT :limit + 0;

-- name: tellExpectations
-- rows: owner and due time. Fewer rows than asked for: somebody was faster, or it has succeeded.
-- Index: The primary key of QRTZ_X_EXPECTATIONS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS owner_name,
         value ->> 1 AS owner_group,
         value ->> 2 AS owner,
         value ->> 3 AS due_time
  FROM json_each(:rows))
UPDATE QRTZ_X_EXPECTATIONS AS t
SET TOLD = '1'
FROM r
WHERE t.SCHED_NAME = r.sched_name
  AND t.OWNER_NAME = r.owner_name
  AND t.OWNER_GROUP = r.owner_group
  AND t.OWNER = r.owner
  AND +t.TOLD = '0' -- no index: the rows are known
  AND +t.DUE_TIME = r.due_time;

-- name: deleteExpectations
-- rows: owner and due time. Of owners that are gone, or expect nothing any more.
-- Index: The primary key of QRTZ_X_EXPECTATIONS.
DELETE FROM QRTZ_X_EXPECTATIONS
WHERE SCHED_NAME = :schedName
  AND (OWNER_NAME, OWNER_GROUP, OWNER)
      IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(:rows))
  AND +DUE_TIME IN (SELECT value ->> 3 FROM json_each(:rows));
