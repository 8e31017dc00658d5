-- name: upsertProgress
-- Stores progress, log lines and interruption of this node's runs that still execute. rows: entry id, fraction, message, lines, time, and when and
-- by whom the run was interrupted.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS. Locks: the rows written.
INSERT INTO QRTZ_X_PROGRESS (SCHED_NAME, ENTRY_ID, FRACTION, MESSAGE, LOG_LINES, UPDATED_TIME, INTERRUPTED_TIME, INTERRUPTED_BY)
SELECT :schedName, r.entry_id, r.fraction, r.message, r.line_list, r.updated_time, r.interrupted_time, r.interrupted_by
FROM @list(:rows, entry_id text(95), fraction float null, message text(1000) null, line_list text null,
                  updated_time int null, interrupted_time int null, interrupted_by text(190) null) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
WHERE f.INSTANCE_NAME = :instanceId
ON CONFLICT (SCHED_NAME, ENTRY_ID) DO UPDATE SET
  FRACTION = excluded.FRACTION,
  MESSAGE = excluded.MESSAGE,
  LOG_LINES = excluded.LOG_LINES,
  UPDATED_TIME = excluded.UPDATED_TIME,
  INTERRUPTED_TIME = excluded.INTERRUPTED_TIME,
  INTERRUPTED_BY = excluded.INTERRUPTED_BY;

-- name: deleteProgress
-- rows: entry ids.
-- Index: PRIMARY of QRTZ_X_PROGRESS. Locks: the rows deleted.
DELETE FROM QRTZ_X_PROGRESS AS t
USING @values(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id;

-- name: selectEndedProgress
-- Selects the rows of runs that have ended without deleting theirs, because their nodes died.
-- Index: PRIMARY of QRTZ_X_PROGRESS, its first column, and of QRTZ_FIRED_TRIGGERS.
SELECT p.ENTRY_ID
FROM QRTZ_X_PROGRESS AS p @index(PRIMARY)
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = p.SCHED_NAME AND f.ENTRY_ID = p.ENTRY_ID
WHERE p.SCHED_NAME = :schedName
  AND f.ENTRY_ID IS NULL
LIMIT :limit;

-- name: selectRunning
-- Selects executing runs with their progress and latest log lines. rows: entry ids.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS and QRTZ_X_PROGRESS.
SELECT f.INSTANCE_NAME, f.JOB_NAME, f.JOB_GROUP, f.FIRED_TIME, p.FRACTION, p.MESSAGE, p.UPDATED_TIME, p.LOG_LINES
FROM @values(:rows, entry_id text(95)) AS r
@then QRTZ_FIRED_TRIGGERS AS f @index(PRIMARY)
  ON f.SCHED_NAME = :schedName AND f.ENTRY_ID = r.entry_id
LEFT JOIN QRTZ_X_PROGRESS AS p @index(PRIMARY)
  ON p.SCHED_NAME = f.SCHED_NAME AND p.ENTRY_ID = f.ENTRY_ID
WHERE f.STATE = 'EXECUTING';
