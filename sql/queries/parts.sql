-- Occurrences that run in parts (shards). Written under the lock TRIGGER_ACCESS; reading needs no lock.

-- name: insertParts
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows inserted.
INSERT INTO QRTZ_X_PARTS
      (SCHED_NAME, OCCURRENCE_ID, TRIGGER_NAME, TRIGGER_GROUP, JOB_NAME, JOB_GROUP, SCHED_TIME, STARTED_TIME, PARTS,
       REMAINING, FAILED, IS_BROADCAST)
SELECT :schedName, r.occurrence_id, r.trigger_name, r.trigger_group, r.job_name, r.job_group, r.scheduled_time, r.started_time,
       r.parts, r.remaining, r.failed, r.is_broadcast
FROM @list(:rows, occurrence_id text(95), trigger_name key, trigger_group key, job_name key, job_group key, scheduled_time int,
                  started_time int, parts int, remaining int, failed int, is_broadcast text(1)) AS r;

-- name: selectParts
-- Selects occurrences, some of which may have ended. rows: ids of occurrences.
-- Index: PRIMARY of QRTZ_X_PARTS.
SELECT p.OCCURRENCE_ID, p.TRIGGER_NAME, p.TRIGGER_GROUP, p.JOB_NAME, p.JOB_GROUP, p.SCHED_TIME, p.STARTED_TIME, p.PARTS,
       p.REMAINING, p.FAILED, p.IS_BROADCAST
FROM @values(:rows, occurrence_id text(95)) AS r
@then QRTZ_X_PARTS AS p @index(PRIMARY)
  ON p.SCHED_NAME = :schedName AND p.OCCURRENCE_ID = r.occurrence_id;

-- name: selectOccurrences
-- Selects a page of the occurrences that have not ended, in id order.
-- Index: PRIMARY of QRTZ_X_PARTS, from an id on.
SELECT p.OCCURRENCE_ID, p.TRIGGER_NAME, p.TRIGGER_GROUP, p.JOB_NAME, p.JOB_GROUP, p.SCHED_TIME, p.STARTED_TIME, p.PARTS,
       p.REMAINING, p.FAILED, p.IS_BROADCAST
FROM QRTZ_X_PARTS AS p @index(PRIMARY)
WHERE p.SCHED_NAME = :schedName
  AND p.OCCURRENCE_ID > :afterId
ORDER BY p.OCCURRENCE_ID
LIMIT :limit;

-- name: updateParts
-- Stores the numbers of remaining and failed parts of occurrences that continue. Compare-and-set on the remaining number.
-- rows: id, remaining number as read, new remaining number, and number of failed parts.
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows changed.
UPDATE QRTZ_X_PARTS AS p
SET REMAINING = r.remaining,
    FAILED = r.failed
FROM @list(:rows, occurrence_id text(95), from_remaining int, remaining int, failed int) AS r
  ON p.SCHED_NAME = :schedName AND p.OCCURRENCE_ID = r.occurrence_id
WHERE p.REMAINING = r.from_remaining;

-- name: deleteParts
-- Deletes occurrences that have ended. rows: id, and remaining number as read.
-- Index: PRIMARY of QRTZ_X_PARTS. Locks: the rows deleted.
DELETE FROM QRTZ_X_PARTS AS p
USING @list(:rows, occurrence_id text(95), from_remaining int) AS r
  ON p.SCHED_NAME = :schedName AND p.OCCURRENCE_ID = r.occurrence_id
WHERE p.REMAINING = r.from_remaining;

-- name: countPartsLeft
-- Counts the parts of an occurrence that wait to fire or run. Their triggers have names from :firstName up to but not including :endName. A
-- running part whose trigger waits or is reserved counts once, by that trigger.
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G.
SELECT (SELECT COUNT(*)
        FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_NAME >= :firstName
          AND t.TRIGGER_NAME < :endName
          AND t.TRIGGER_GROUP = 'SHARDED_JOBS'
          AND t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR'))
       + (SELECT COUNT(*)
          FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
          WHERE f.SCHED_NAME = :schedName
            AND f.TRIGGER_NAME >= :firstName
            AND f.TRIGGER_NAME < :endName
            AND f.TRIGGER_GROUP = 'SHARDED_JOBS'
            AND NOT EXISTS (SELECT 1
                            FROM QRTZ_TRIGGERS AS o @index(PRIMARY)
                            WHERE o.SCHED_NAME = f.SCHED_NAME
                              AND o.TRIGGER_NAME = f.TRIGGER_NAME
                              AND o.TRIGGER_GROUP = f.TRIGGER_GROUP
                              AND o.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR'))) AS PARTS_LEFT;

-- name: selectFurtherRunsOfJob
-- Selects the triggers with which parts of the job's occurrences may continue after their first run. Their data identifies the occurrence.
-- JOB_DATA null and IS_STORED 0: the part is running, and its trigger is deleted. Sent periodically for occurrences whose first runs have ended.
-- Index: IDX_QRTZ_T_G, IDX_QRTZ_FT_T_G, IDX_QRTZ_FT_J_G, PRIMARY of QRTZ_TRIGGERS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.JOB_DATA, 1 AS IS_STORED
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_G)
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS')
  AND t.JOB_NAME = :jobName
  AND t.JOB_GROUP = :jobGroup
  AND (t.TRIGGER_STATE NOT IN ('COMPLETE', 'ERROR')
       OR EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
                  WHERE f.SCHED_NAME = t.SCHED_NAME
                    AND f.TRIGGER_NAME = t.TRIGGER_NAME
                    AND f.TRIGGER_GROUP = t.TRIGGER_GROUP))
UNION ALL
SELECT f.TRIGGER_NAME, f.TRIGGER_GROUP, NULL AS JOB_DATA, 0 AS IS_STORED
FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_J_G)
LEFT JOIN QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = f.SCHED_NAME AND t.TRIGGER_NAME = f.TRIGGER_NAME AND t.TRIGGER_GROUP = f.TRIGGER_GROUP
WHERE f.SCHED_NAME = :schedName
  AND f.JOB_NAME = :jobName
  AND f.JOB_GROUP = :jobGroup
  AND f.TRIGGER_GROUP IN ('RETRYING_JOBS', 'RECOVERING_JOBS', 'DEFERRED_JOBS')
  AND t.SCHED_NAME IS NULL;
