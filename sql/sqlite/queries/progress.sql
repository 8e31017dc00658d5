-- name: upsertProgress
-- What runs of this node say, as far as they still execute here. rows: entry id, fraction, message, lines and time.
-- Index: The primary keys of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS.
INSERT INTO QRTZ_X_PROGRESS (SCHED_NAME, ENTRY_ID, FRACTION, MESSAGE, LOG_LINES, UPDATED_TIME)
SELECT :schedName, value ->> 0, value ->> '$[1][0]', value ->> '$[2][0]', value ->> '$[3][0]', value ->> '$[4][0]'
FROM json_each(:rows)
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = value ->> 0
WHERE f.INSTANCE_NAME = :instanceId
ON CONFLICT DO UPDATE SET
  FRACTION = excluded.FRACTION,
  MESSAGE = excluded.MESSAGE,
  LOG_LINES = excluded.LOG_LINES,
  UPDATED_TIME = excluded.UPDATED_TIME;

-- name: deleteProgress
-- rows: entry ids.
-- Index: The primary key of QRTZ_X_PROGRESS.
DELETE FROM QRTZ_X_PROGRESS
WHERE SCHED_NAME = :schedName
  AND ENTRY_ID IN (SELECT value FROM json_each(:rows));

-- name: selectEndedProgress
-- What is still there of runs that have ended: of nodes that died.
-- Index: The primary keys of QRTZ_X_PROGRESS, its first column, and of QRTZ_FIRED_TRIGGERS.
SELECT p.ENTRY_ID
FROM QRTZ_X_PROGRESS AS p
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
LIMIT :limit + 0;

-- name: selectRunning
-- Runs that execute, and what they logged last. rows: entry ids.
-- Index: The primary keys of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS.
SELECT f.INSTANCE_NAME, f.JOB_NAME, f.JOB_GROUP, f.FIRED_TIME, p.FRACTION, p.MESSAGE, p.UPDATED_TIME, p.LOG_LINES
FROM json_each(:rows)
CROSS JOIN QRTZ_FIRED_TRIGGERS AS f
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = json_each.value
LEFT JOIN QRTZ_X_PROGRESS AS p
  ON p.SCHED_NAME = f.SCHED_NAME AND p.ENTRY_ID = f.ENTRY_ID
WHERE f.STATE = 'EXECUTING';
