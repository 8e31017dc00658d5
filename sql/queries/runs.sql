-- name: insertRuns
-- Records runs that have ended. A run that is already recorded stays as it is.
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows inserted.
INSERT INTO QRTZ_X_RUNS
      (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
       OCCURRENCE_ID, SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
SELECT :schedName, r.ended_time, r.run_id, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.job_type,
       r.instance_name, r.occurrence_id, r.scheduled_time, r.fired_time, r.attempt, r.outcome, r.is_dead_letter,
       r.error_message, r.detail
FROM @list(:rows, ended_time int, run_id text(95), trigger_name key, trigger_group key, job_name key, job_group key,
                  job_type text(250), instance_name key, occurrence_id text(95), scheduled_time int, fired_time int, attempt int,
                  outcome text(16), is_dead_letter text(1), error_message text(1000) null, detail text null) AS r
ON CONFLICT (SCHED_NAME, ENDED_TIME, RUN_ID) DO UPDATE SET
  RUN_ID = excluded.RUN_ID;

-- part: runColumns
-- detailLength: maximum number of characters of the detail; 0: null.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL

-- part: runFilter
-- since: earliest end time. endTime and runId: position before which to read. Others: null for any. search: lower case.
-- enqueuedType: type whose jobs with generated names belong to the job too; null: none.
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup)
       OR (t.JOB_CLASS_NAME = :enqueuedType AND t.JOB_GROUP = :jobGroup AND SUBSTR(t.JOB_NAME, 1, CHAR_LENGTH(:enqueuedPrefix)) = :enqueuedPrefix
           AND CHAR_LENGTH(t.JOB_NAME) = CHAR_LENGTH(:enqueuedPrefix) + :enqueuedToken))
  AND (:jobType IS NULL OR t.JOB_CLASS_NAME = :jobType)
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, CHAR_LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, CHAR_LENGTH(t.JOB_GROUP) - CHAR_LENGTH(:group) + 1) = :group
                                                     WHEN 'contains' THEN STRPOS(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR STRPOS(LOWER(CONCAT(t.JOB_GROUP, '/', t.JOB_NAME)), :search) > 0 OR STRPOS(LOWER(CONCAT(t.TRIGGER_GROUP, '/', t.TRIGGER_NAME)), :search) > 0
       OR STRPOS(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take

-- name: selectRuns
-- Selects the newest runs.
-- Index: PRIMARY of QRTZ_X_RUNS, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
-- include: runFilter;

-- name: selectRunsOfJob
-- Selects the newest runs of a job with one outcome.
-- Index: IDX_QRTZ_X_R_J, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
-- include: runFilter;

-- name: selectRunsOfTrigger
-- Selects the newest runs of a trigger with one outcome.
-- Index: IDX_QRTZ_X_R_T, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_T)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
-- include: runFilter;

-- name: selectRunsByOutcome
-- Selects the newest runs with one outcome, dead letters or others.
-- Index: IDX_QRTZ_X_R_O, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_O)
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
-- include: runFilter;

-- name: selectRunsByIds
-- Selects recorded runs by id. rows: ids of runs.
-- Index: IDX_QRTZ_X_R_I.
-- include: runColumns
FROM @values(:rows, run_id text(95)) AS r
@then QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_I)
  ON t.SCHED_NAME = :schedName AND t.RUN_ID = r.run_id
WHERE 1 = 1
-- include: runFilter;

-- name: selectRunBoundary
-- Selects the last end time of a page of runs whose filter no index supports: the end time of the run a given number of runs after a position.
-- Index: PRIMARY of QRTZ_X_RUNS, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned;

-- name: selectRunBoundaryByOutcome
-- The same among the runs with one outcome, dead letters or others.
-- Index: IDX_QRTZ_X_R_O, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_O)
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned;

-- name: selectRunBoundaryOfJob
-- The same among the runs of a job with one outcome.
-- Index: IDX_QRTZ_X_R_J, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_J)
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned;

-- name: selectRunBoundaryOfTrigger
-- The same among the runs of a trigger with one outcome.
-- Index: IDX_QRTZ_X_R_T, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_T)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned;

-- name: selectNewestRun
-- Selects the newest run. If it is unchanged, no run has been recorded since.
-- Index: PRIMARY of QRTZ_X_RUNS, backwards by its first column: one row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1;

-- name: selectResolvableRuns
-- Selects the runs of a set that are dead letters or can be rerun. The details of runs that can be rerun but are no dead letters begin with a
-- fixed text.
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows read.
SELECT t.RUN_ID, t.IS_DEAD_LETTER
FROM @list(:rows, ended_time int, run_id text(95)) AS r
@then QRTZ_X_RUNS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
WHERE (t.IS_DEAD_LETTER = '1' OR SUBSTR(t.DETAIL, 1, CHAR_LENGTH(:rerunnable)) = :rerunnable)
FOR UPDATE OF t;

-- name: resolveRuns
-- Clears the marks of dead letters and of other runs that can be rerun. Fewer rows than requested: another transaction was faster.
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows changed.
UPDATE QRTZ_X_RUNS AS t
SET IS_DEAD_LETTER = '0',
    DETAIL = CASE WHEN SUBSTR(t.DETAIL, 1, CHAR_LENGTH(:rerunnable)) = :rerunnable
                    THEN CONCAT(:rerun, SUBSTR(t.DETAIL, CHAR_LENGTH(:rerunnable) + 1))
                    ELSE t.DETAIL END
FROM @list(:rows, ended_time int, run_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
WHERE (t.IS_DEAD_LETTER = '1' OR SUBSTR(t.DETAIL, 1, CHAR_LENGTH(:rerunnable)) = :rerunnable);

-- name: countRuns
-- Counts the runs with one outcome, dead letters or others, that ended after a position. Reads no row, because the details may take
-- gigabytes. Stops at :most, so that no caller waits for it.
-- Index: IDX_QRTZ_X_R_O in its order.
SELECT COUNT(*) AS TOTAL
FROM (SELECT t.RUN_ID
      FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_O)
      WHERE t.SCHED_NAME = :schedName
        AND t.OUTCOME = :outcome
        AND t.IS_DEAD_LETTER = :isDeadLetter
        AND t.ENDED_TIME >= :endTime
        AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
      LIMIT :most) AS r;

-- name: selectRunAfter
-- Selects the run that follows :skipped runs after a position, among the runs with one outcome, dead letters or others.
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_O)
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped;

-- name: selectRunEnd
-- The same among all runs. Retention keeps the runs after the result.
-- Index: PRIMARY of QRTZ_X_RUNS, in its order.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped;

-- name: selectOldRuns
-- Selects the oldest runs with one outcome, dead letters or others, that ended before a time.
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t @index(IDX_QRTZ_X_R_O)
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME < :before
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT :limit;

-- name: deleteRuns
-- Deletes runs that are no longer kept. A run whose mark has changed since it was read stays.
-- Index: PRIMARY of QRTZ_X_RUNS. Locks: the rows deleted.
DELETE FROM QRTZ_X_RUNS AS t
USING @list(:rows, ended_time int, run_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
WHERE t.IS_DEAD_LETTER = :isDeadLetter;
-- only: sqlite
DELETE FROM QRTZ_X_RUNS
WHERE rowid IN (SELECT t.rowid
                FROM @list(:rows, ended_time int, run_id text(95)) AS r
                @then QRTZ_X_RUNS AS t
                  ON t.SCHED_NAME = :schedName AND t.ENDED_TIME = r.ended_time AND t.RUN_ID = r.run_id
                WHERE t.IS_DEAD_LETTER = :isDeadLetter);
