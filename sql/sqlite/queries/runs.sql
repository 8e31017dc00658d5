-- name: insertRuns
-- Records runs that have ended; one that is recorded already stays as it is.
-- Index: The primary key of QRTZ_X_RUNS.
WITH r AS MATERIALIZED (
  SELECT :schedName AS sched_name,
         value ->> 0 AS ended_time,
         value ->> 1 AS run_id,
         value ->> 2 AS trigger_name,
         value ->> 3 AS trigger_group,
         value ->> 4 AS job_name,
         value ->> 5 AS job_group,
         value ->> 6 AS job_type,
         value ->> 7 AS instance_name,
         value ->> 8 AS occurrence_id,
         value ->> 9 AS scheduled_time,
         value ->> 10 AS fired_time,
         value ->> 11 AS attempt,
         value ->> 12 AS outcome,
         value ->> 13 AS is_dead_letter,
         value ->> '$[14][0]' AS error_message,
         value ->> '$[15][0]' AS detail
  FROM json_each(:rows))
INSERT INTO QRTZ_X_RUNS
      (SCHED_NAME, ENDED_TIME, RUN_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, JOB_CLASS_NAME, INSTANCE_NAME,
       OCCURRENCE_ID, SCHED_TIME, FIRED_TIME, ATTEMPT, OUTCOME, IS_DEAD_LETTER, ERROR_MESSAGE, DETAIL)
SELECT r.sched_name, r.ended_time, r.run_id, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.job_type,
       r.instance_name, r.occurrence_id, r.scheduled_time, r.fired_time, r.attempt, r.outcome, r.is_dead_letter,
       r.error_message, r.detail
FROM r
WHERE true
ON CONFLICT (SCHED_NAME, ENDED_TIME, RUN_ID) DO NOTHING;

-- part: runColumns
-- detailLength: so many characters of the detail at most; 0: null.
SELECT t.ENDED_TIME, t.RUN_ID, t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_NAME, t.JOB_GROUP, t.JOB_CLASS_NAME, t.INSTANCE_NAME,
       t.OCCURRENCE_ID, t.SCHED_TIME, t.FIRED_TIME, t.ATTEMPT, t.OUTCOME, t.IS_DEAD_LETTER, t.ERROR_MESSAGE,
       CASE WHEN :detailLength > 0 THEN SUBSTR(t.DETAIL, 1, :detailLength) END AS DETAIL

-- part: runFilter
-- since: at or after. endTime and runId: before this place in the list. The others: null for any. search: lower case.
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME <= :endTime
  AND (t.ENDED_TIME < :endTime OR t.RUN_ID < :runId)
  AND (:jobName IS NULL OR (t.JOB_NAME = :jobName AND t.JOB_GROUP = :jobGroup))
  AND (:triggerName IS NULL OR (t.TRIGGER_NAME = :triggerName AND t.TRIGGER_GROUP = :triggerGroup))
  AND (:groupOperator IS NULL OR CASE :groupOperator WHEN 'equals' THEN t.JOB_GROUP = :group
                                                     WHEN 'startsWith' THEN SUBSTR(t.JOB_GROUP, 1, LENGTH(:group)) = :group
                                                     WHEN 'endsWith' THEN SUBSTR(t.JOB_GROUP, -LENGTH(:group)) = :group
                                                     WHEN 'contains' THEN INSTR(t.JOB_GROUP, :group) > 0 END)
  AND (:occurrenceId IS NULL OR t.OCCURRENCE_ID = :occurrenceId)
  AND (:outcome IS NULL OR t.OUTCOME = :outcome)
  AND (:isDeadLetter IS NULL OR t.IS_DEAD_LETTER = :isDeadLetter)
  AND (:instanceId IS NULL OR t.INSTANCE_NAME = :instanceId)
  AND (:search IS NULL OR INSTR(LOWER(t.JOB_GROUP || '/' || t.JOB_NAME), :search) > 0 OR INSTR(LOWER(t.TRIGGER_GROUP || '/' || t.TRIGGER_NAME), :search) > 0
       OR INSTR(LOWER(t.ERROR_MESSAGE), :search) > 0)
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT :take + 0

-- name: selectRuns
-- The newest runs.
-- Index: The primary key of QRTZ_X_RUNS, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
-- include: runFilter;

-- name: selectRunsOfJob
-- The newest runs of a job with one outcome.
-- Index: IDX_QRTZ_X_R_J, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
-- include: runFilter;

-- name: selectRunsOfTrigger
-- The newest runs of a trigger with one outcome.
-- Index: IDX_QRTZ_X_R_T, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_T
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
-- include: runFilter;

-- name: selectRunsByOutcome
-- The newest runs with one outcome, dead letters or others.
-- Index: IDX_QRTZ_X_R_O, backwards.
-- include: runColumns
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
-- include: runFilter;

-- name: selectRunsByIds
-- rows: ids of runs. Returns the recorded ones.
-- Index: IDX_QRTZ_X_R_I.
WITH r AS MATERIALIZED (
  SELECT value AS run_id
  FROM json_each(:rows))
-- include: runColumns
FROM r
CROSS JOIN QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_I
WHERE t.SCHED_NAME = :schedName
  AND t.RUN_ID = r.run_id
-- include: runFilter;

-- name: selectRunBoundary
-- When the run ended up to which one page reads where no index helps: that many runs behind a place in the list.
-- Index: The primary key of QRTZ_X_RUNS, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryByOutcome
-- The same among the runs with one outcome, dead letters or others.
-- Index: IDX_QRTZ_X_R_O, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryOfJob
-- The same among the runs of a job with one outcome.
-- Index: IDX_QRTZ_X_R_J, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_J
WHERE t.SCHED_NAME = :schedName
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectRunBoundaryOfTrigger
-- The same among the runs of a trigger with one outcome.
-- Index: IDX_QRTZ_X_R_T, backwards.
SELECT t.ENDED_TIME
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_T
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_NAME = :triggerName
  AND t.TRIGGER_GROUP = :triggerGroup
  AND t.OUTCOME = :outcome
  AND t.ENDED_TIME >= :since
  AND t.ENDED_TIME < :endTime
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1 OFFSET :scanned + 0;

-- name: selectNewestRun
-- Whether it is still the same tells whether anything was recorded since.
-- Index: The primary key of QRTZ_X_RUNS, backwards by its first column: one row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
ORDER BY t.ENDED_TIME DESC, t.RUN_ID DESC
LIMIT 1;

-- name: selectResolvableRuns
-- The named runs that are dead letters, or that failed otherwise and can be rerun: the details of the latter begin with a fixed text.
-- Index: The primary key of QRTZ_X_RUNS.
WITH r AS MATERIALIZED (
  SELECT value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
SELECT t.RUN_ID, t.IS_DEAD_LETTER
FROM r
CROSS JOIN QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME = r.ended_time
  AND t.RUN_ID = r.run_id
  AND (t.IS_DEAD_LETTER = '1' OR substr(t.DETAIL, 1, length(:rerunnable)) = :rerunnable);

-- name: resolveRuns
-- Clears the marks of dead letters and other failed runs; fewer rows than asked for: another transaction was faster.
-- Index: The primary key of QRTZ_X_RUNS.
WITH r AS MATERIALIZED (
  SELECT value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
UPDATE QRTZ_X_RUNS AS t
SET IS_DEAD_LETTER = '0',
    DETAIL = CASE WHEN substr(t.DETAIL, 1, length(:rerunnable)) = :rerunnable
                  THEN :rerun || substr(t.DETAIL, length(:rerunnable) + 1)
                  ELSE t.DETAIL END
FROM r
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME = r.ended_time
  AND t.RUN_ID = r.run_id
  AND (t.IS_DEAD_LETTER = '1' OR substr(t.DETAIL, 1, length(:rerunnable)) = :rerunnable);

-- name: countRuns
-- How many runs with one outcome, dead letters or others, ended after a place, without reading one: their details may take gigabytes.
-- Counts no further than most, so that nobody waits for it.
-- Index: IDX_QRTZ_X_R_O in its order.
SELECT COUNT(*) AS TOTAL
FROM (SELECT t.RUN_ID
      FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
      WHERE t.SCHED_NAME = :schedName
        AND t.OUTCOME = :outcome
        AND t.IS_DEAD_LETTER = :isDeadLetter
        AND t.ENDED_TIME >= :endTime
        AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
      LIMIT :most + 0) AS r;

-- name: selectRunAfter
-- The place that so many runs with one outcome, dead letters or others, stand before, behind another place.
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t INDEXED BY IDX_QRTZ_X_R_O
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped + 0;

-- name: selectRunEnd
-- The same among all runs: what is behind this place stays.
-- Index: The primary key of QRTZ_X_RUNS, in its order.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.ENDED_TIME >= :endTime
  AND (t.ENDED_TIME > :endTime OR t.RUN_ID > :runId)
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT 1 OFFSET :skipped + 0;

-- name: selectOldRuns
-- The oldest runs with one outcome that ended before a time, dead letters or others.
-- Index: IDX_QRTZ_X_R_O in its order, without reading a row.
SELECT t.ENDED_TIME, t.RUN_ID
FROM QRTZ_X_RUNS AS t
WHERE t.SCHED_NAME = :schedName
  AND t.OUTCOME = :outcome
  AND t.IS_DEAD_LETTER = :isDeadLetter
  AND t.ENDED_TIME < :before
ORDER BY t.ENDED_TIME, t.RUN_ID
LIMIT :limit + 0;

-- name: deleteRuns
-- Runs that are no longer kept; one whose mark has changed since it was read stays.
-- Index: The primary key of QRTZ_X_RUNS.
WITH r AS MATERIALIZED (
  SELECT value ->> 0 AS ended_time,
         value ->> 1 AS run_id
  FROM json_each(:rows))
DELETE FROM QRTZ_X_RUNS
WHERE rowid IN (SELECT t.rowid
                FROM r
                CROSS JOIN QRTZ_X_RUNS AS t
                WHERE t.SCHED_NAME = :schedName
                AND t.ENDED_TIME = r.ended_time
                AND t.RUN_ID = r.run_id
                AND t.IS_DEAD_LETTER = :isDeadLetter);
