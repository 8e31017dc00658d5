-- name: selectClock
-- Reads the cluster's clock in milliseconds, with their fractions where the database knows them. The sessions' time zone is UTC, so converting to and
-- from local time loses nothing.
SELECT @now AS NOW_TIME;
-- only: mysql
SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000 AS DOUBLE) AS NOW_TIME;

-- name: selectNodes
-- Selects every node and the current time; one row without a node if there is none. EPOCH null: a Java node.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT c.NOW_TIME, s.INSTANCE_NAME, s.LAST_CHECKIN_TIME, s.CHECKIN_INTERVAL, n.EPOCH, n.VERSION, n.TIME_ZONE_DATA, n.HOST, n.PROCESS_ID,
       n.PROCESS_SCOPE, n.PROCESS_START, n.STARTED_AT, n.CHECKIN_GRACE, n.CLOCK_OFFSET, n.SIGNAL_SEEN,
       n.LABELS, n.STATUS
FROM (SELECT @now AS NOW_TIME) AS c
LEFT JOIN QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
  ON s.SCHED_NAME = :schedName
LEFT JOIN QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME;

-- name: selectNode
-- Selects one node and locks it against changes.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE and QRTZ_X_NODES. Locks: its rows.
SELECT s.LAST_CHECKIN_TIME, n.EPOCH, n.STATUS
FROM QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
LEFT JOIN QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME = :instanceId
FOR UPDATE;

-- name: updateCheckIn
-- Records that the node is alive, if this incarnation is still a member. The time always increases, because other nodes watch it for changes.
-- An invalid time is replaced.
-- Index: PRIMARY of both. Locks: the node's own rows; never behind TRIGGER_ACCESS.
UPDATE QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
SET LAST_CHECKIN_TIME = GREATEST(CASE WHEN s.LAST_CHECKIN_TIME BETWEEN 0 AND 8640000000000000 THEN s.LAST_CHECKIN_TIME + 1 ELSE 0 END,
                                 @now),
    CHECKIN_INTERVAL = :checkInInterval
WHERE s.SCHED_NAME = :schedName
  AND s.INSTANCE_NAME = :instanceId
  AND EXISTS (SELECT 1
              FROM QRTZ_X_NODES AS n
              WHERE n.SCHED_NAME = :schedName
                AND n.INSTANCE_NAME = :instanceId
                AND n.EPOCH = :epoch);

-- name: selectJoinObstacle
-- Finds a row if an instance id cannot join as a new one: rows of an earlier incarnation are stored, or the rules for fire times are not as they were read.
-- Index: PRIMARY of QRTZ_LOCKS, QRTZ_SCHEDULER_STATE and QRTZ_X_META; IDX_QRTZ_FT_INST_JOB_REQ_RCVRY.
SELECT l.LOCK_NAME
FROM QRTZ_LOCKS AS l @index(PRIMARY)
WHERE l.SCHED_NAME = :schedName
  AND l.LOCK_NAME = 'STATE_ACCESS'
  AND (EXISTS (SELECT 1
               FROM QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
               WHERE s.SCHED_NAME = :schedName
                 AND s.INSTANCE_NAME = :instanceId)
       OR EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_INST_JOB_REQ_RCVRY)
                  WHERE f.SCHED_NAME = :schedName
                    AND f.INSTANCE_NAME = :instanceId)
       OR NOT EXISTS (SELECT 1
                      FROM QRTZ_X_META AS m @index(PRIMARY)
                      WHERE m.SCHED_NAME = :schedName
                        AND m.META_KEY = 'rules'
                        AND m.META_VALUE = :rules));

-- name: insertCheckIn
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE. Locks: the row inserted.
INSERT INTO QRTZ_SCHEDULER_STATE (SCHED_NAME, INSTANCE_NAME, LAST_CHECKIN_TIME, CHECKIN_INTERVAL)
VALUES (:schedName, :instanceId, @now, :checkInInterval);

-- name: deleteCheckIn
-- Ends the incarnation of a node, unless it has checked in since. This is the compare-and-set between its death and its recovery.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE. Locks: the row.
DELETE FROM QRTZ_SCHEDULER_STATE
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND LAST_CHECKIN_TIME = :lastCheckInTime;

-- name: insertNode
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row inserted.
INSERT INTO QRTZ_X_NODES
      (SCHED_NAME, INSTANCE_NAME, EPOCH, PROTOCOL, VERSION, TIME_ZONE_DATA, HOST, PROCESS_ID, STARTED_AT, CHECKIN_GRACE, CLOCK_OFFSET, STATUS,
       SIGNAL_NUMBER, SIGNAL_SEEN, SIGNALS, JOB_TYPES, PROCESS_SCOPE, PROCESS_START,
       LABELS)
VALUES (:schedName, :instanceId, :epoch, 1, :version, :timeZoneData, :host, :processId,
        @now, :checkInGrace, 0, :status, 0, 0, NULL, :jobTypes,
        :processScope, :processStart, :labels);

-- name: deleteNode
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
DELETE FROM QRTZ_X_NODES
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId;

-- name: updateNodeClock
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET CLOCK_OFFSET = :clockOffset
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateNodeLoad
-- Stores the load that the node reports with its check-in. An idle node reports the same values again, and nothing is written.
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET LOAD_FIGURES = :load
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch
  AND COALESCE(LOAD_FIGURES, '') <> :load;

-- name: selectNodeLoads
-- Selects the last load that each node reported, and its time. LOAD_FIGURES null: a Java node, or an older version.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT s.INSTANCE_NAME, s.LAST_CHECKIN_TIME, n.LOAD_FIGURES
FROM QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
LEFT JOIN QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName;

-- name: selectJobTypes
-- Selects the job types that each node can run. EPOCH null: a Java node, which does not publish them.
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column, and of QRTZ_X_NODES.
SELECT s.INSTANCE_NAME, n.EPOCH, n.JOB_TYPES, n.LABELS
FROM QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
LEFT JOIN QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = s.SCHED_NAME AND n.INSTANCE_NAME = s.INSTANCE_NAME
WHERE s.SCHED_NAME = :schedName;

-- name: updateJobTypes
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET JOB_TYPES = :jobTypes
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateNodeStatus
-- Sets the status: MEMBER, DRAINING if the node acquires no more triggers, or LEFT if it has left while its runs had not ended.
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET STATUS = :status
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: selectBacklog
-- Selects the triggers that have waited longest, with their job types and required labels. Sent every 10 s.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.NEXT_FIRE_TIME, j.JOB_CLASS_NAME, w.RUNS_ON
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
LEFT JOIN QRTZ_X_PLACES AS w @index(PRIMARY)
  ON w.SCHED_NAME = t.SCHED_NAME AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME < :before
ORDER BY t.NEXT_FIRE_TIME
LIMIT :limit;

-- name: selectFiringsOf
-- Selects firings of a node, at most :limit. Locking read: a firing that the node is completing is either gone, or can no longer be
-- completed.
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY. Locks: the rows read.
SELECT f.ENTRY_ID, f.STATE, f.TRIGGER_NAME, f.TRIGGER_GROUP, f.FIRED_TIME, f.SCHED_TIME, f.PRIORITY, f.JOB_NAME, f.JOB_GROUP,
       f.IS_NONCONCURRENT, f.REQUESTS_RECOVERY
FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_INST_JOB_REQ_RCVRY)
WHERE f.SCHED_NAME = :schedName
  AND f.INSTANCE_NAME = :instanceId
LIMIT :limit
FOR UPDATE;

-- name: selectEntriesOf
-- Selects only the ids of a node's firings, without a lock. The node compares them with the firings that it executes.
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY.
SELECT f.ENTRY_ID
FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_INST_JOB_REQ_RCVRY)
WHERE f.SCHED_NAME = :schedName
  AND f.INSTANCE_NAME = :instanceId;

-- name: deleteFiringsOf
-- Deletes firings by entry id. Firings that the node inserts in the meantime stay, because they were not read.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS. Locks: the rows deleted.
DELETE FROM QRTZ_FIRED_TRIGGERS AS t
USING @rows(:rows, entry_id text(95)) AS r
  ON t.SCHED_NAME = :schedName AND t.ENTRY_ID = r.entry_id
WHERE t.INSTANCE_NAME = :instanceId;

-- name: releaseReservedTriggers
-- Releases triggers whose reservation is deleted, if they are still reserved for that time and have no other reservation.
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G. Locks: the rows changed.
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING'
FROM @rows(:rows, trigger_name key, trigger_group key, next_fire_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
WHERE t.TRIGGER_STATE = 'ACQUIRED'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND NOT EXISTS (SELECT 1
                  FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
                  WHERE f.SCHED_NAME = t.SCHED_NAME
                    AND f.TRIGGER_NAME = t.TRIGGER_NAME
                    AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
                    AND f.STATE = 'ACQUIRED');
-- only: mysql
UPDATE QRTZ_TRIGGERS AS t
SET TRIGGER_STATE = 'WAITING'
FROM @rows(:rows, trigger_name key, trigger_group key, next_fire_time int) AS r
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
 AND f.STATE = 'ACQUIRED'
WHERE t.TRIGGER_STATE = 'ACQUIRED'
  AND t.NEXT_FIRE_TIME = r.next_fire_time
  AND f.SCHED_NAME IS NULL;

-- name: selectLeftovers
-- Selects the triggers of a set that have fired for the last time and are not executing.
-- Index: PRIMARY of QRTZ_TRIGGERS, IDX_QRTZ_FT_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_TYPE, t.JOB_NAME, t.JOB_GROUP, t.CALENDAR_NAME
FROM @rows(:rows, trigger_name key, trigger_group key) AS r
@then QRTZ_TRIGGERS AS t @index(PRIMARY)
  ON t.SCHED_NAME = :schedName AND t.TRIGGER_NAME = r.trigger_name AND t.TRIGGER_GROUP = r.trigger_group
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.TRIGGER_STATE = 'COMPLETE'
  AND t.NEXT_FIRE_TIME = -1
  AND f.SCHED_NAME IS NULL;

-- name: selectEndedTriggers
-- Selects triggers without a further fire time and without a firing, one page in key order after (afterGroup, afterName). They are few: a
-- trigger that has fired for the last time is deleted with its firing.
-- Index: IDX_QRTZ_T_NFT_ST for completed triggers, IDX_QRTZ_FT_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'COMPLETE'
  AND t.NEXT_FIRE_TIME = -1
  AND (t.TRIGGER_GROUP > :afterGroup OR (t.TRIGGER_GROUP = :afterGroup AND t.TRIGGER_NAME > :afterName))
  AND f.SCHED_NAME IS NULL
ORDER BY t.TRIGGER_GROUP, t.TRIGGER_NAME
LIMIT :limit;

-- name: selectOrphanInstances
-- Selects instance ids that hold firings but belong to no node.
-- Index: IDX_QRTZ_FT_INST_JOB_REQ_RCVRY, jumping from id to id (MariaDB 10.11 reads all of the scheduler's entries); PRIMARY of QRTZ_SCHEDULER_STATE.
SELECT DISTINCT f.INSTANCE_NAME
FROM QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_INST_JOB_REQ_RCVRY)
LEFT JOIN QRTZ_SCHEDULER_STATE AS s @index(PRIMARY)
  ON s.SCHED_NAME = f.SCHED_NAME AND s.INSTANCE_NAME = f.INSTANCE_NAME
WHERE f.SCHED_NAME = :schedName
  AND s.SCHED_NAME IS NULL;

-- name: selectJsonData
-- Selects jobs and triggers whose data is JSON, which Java cannot read. For the doctor: reads all rows of the scheduler.
-- Index: PRIMARY of QRTZ_JOB_DETAILS and of QRTZ_TRIGGERS, their first column.
SELECT 'job' AS WHAT, j.JOB_NAME AS NAME, j.JOB_GROUP AS GROUP_NAME
FROM QRTZ_JOB_DETAILS AS j @index(PRIMARY)
WHERE j.SCHED_NAME = :schedName
  AND HEX(SUBSTR(j.JOB_DATA, 1, 1)) = '7B'
UNION ALL
SELECT 'trigger' AS WHAT, t.TRIGGER_NAME AS NAME, t.TRIGGER_GROUP AS GROUP_NAME
FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND HEX(SUBSTR(t.JOB_DATA, 1, 1)) = '7B'
LIMIT :limit;

-- name: selectStrandedTriggers
-- Selects triggers that are marked as reserved but have no reservation. A single statement reads one snapshot, so it sees a trigger together
-- with its reservation.
-- Index: IDX_QRTZ_T_NFT_ST for reserved triggers, IDX_QRTZ_FT_T_G.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_T_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.TRIGGER_NAME = t.TRIGGER_NAME AND f.TRIGGER_GROUP = t.TRIGGER_GROUP
 AND f.STATE = 'ACQUIRED'
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'ACQUIRED'
  AND f.SCHED_NAME IS NULL
LIMIT :limit;

-- name: selectBlockedJobs
-- Selects jobs with blocked triggers although the job is not executing and the trigger does not wait for a limit.
-- Index: IDX_QRTZ_T_NFT_ST for blocked triggers, IDX_QRTZ_FT_J_G, PRIMARY of QRTZ_X_WAITERS.
SELECT DISTINCT t.JOB_NAME, t.JOB_GROUP
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
LEFT JOIN QRTZ_FIRED_TRIGGERS AS f @index(IDX_QRTZ_FT_J_G)
  ON f.SCHED_NAME = t.SCHED_NAME AND f.JOB_NAME = t.JOB_NAME AND f.JOB_GROUP = t.JOB_GROUP AND f.STATE = 'EXECUTING'
LEFT JOIN QRTZ_X_WAITERS AS w @index(PRIMARY)
  ON w.SCHED_NAME = t.SCHED_NAME AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE IN ('BLOCKED', 'PAUSED_BLOCKED')
  AND f.SCHED_NAME IS NULL
  AND w.SCHED_NAME IS NULL
LIMIT :limit;

-- name: selectTriggerKinds
-- Selects a page of the triggers in key order, and whether the row of each trigger's type exists. A single statement reads one snapshot, so
-- it sees a trigger together with that row. Types that only Java supports keep their rows elsewhere.
-- Index: PRIMARY of every table, from a key on; a thousand take 8 ms, however many there are.
SELECT t.TRIGGER_NAME, t.TRIGGER_GROUP, t.TRIGGER_STATE,
       CASE WHEN t.TRIGGER_TYPE = 'SIMPLE'
            THEN EXISTS (SELECT 1
                         FROM QRTZ_SIMPLE_TRIGGERS AS s @index(PRIMARY)
                         WHERE s.SCHED_NAME = t.SCHED_NAME
                           AND s.TRIGGER_NAME = t.TRIGGER_NAME
                           AND s.TRIGGER_GROUP = t.TRIGGER_GROUP)
            WHEN t.TRIGGER_TYPE = 'CRON'
            THEN EXISTS (SELECT 1
                         FROM QRTZ_CRON_TRIGGERS AS c @index(PRIMARY)
                         WHERE c.SCHED_NAME = t.SCHED_NAME
                           AND c.TRIGGER_NAME = t.TRIGGER_NAME
                           AND c.TRIGGER_GROUP = t.TRIGGER_GROUP)
            WHEN t.TRIGGER_TYPE IN ('CAL_INT', 'DAILY_I', 'AFTER')
            THEN EXISTS (SELECT 1
                         FROM QRTZ_SIMPROP_TRIGGERS AS p @index(PRIMARY)
                         WHERE p.SCHED_NAME = t.SCHED_NAME
                           AND p.TRIGGER_NAME = t.TRIGGER_NAME
                           AND p.TRIGGER_GROUP = t.TRIGGER_GROUP)
            ELSE 1 END AS HAS_KIND
FROM QRTZ_TRIGGERS AS t @index(PRIMARY)
WHERE t.SCHED_NAME = :schedName
  AND (t.TRIGGER_NAME, t.TRIGGER_GROUP) > (:afterName, :afterGroup)
ORDER BY t.TRIGGER_NAME, t.TRIGGER_GROUP
LIMIT :limit;

-- name: selectChanges
-- Summarizes the first 50 waiting triggers with a fire time from :lookBack ms ago on, and those that have waited longer (the backlog). Returns
-- the node's signal number too. Every node sends it up to ten times a second. It reads more than one entry, because a trigger that cannot
-- run here would hide the ones after it.
-- isCounted: 1 to count the backlog, 0 to leave it out. The sums change when the set of times changes. They add remainders, because the
-- times themselves may be too large to add.
-- Index: IDX_QRTZ_T_NFT_ST, its first 50 entries from a moment ago on and those before (10,000: 2 ms); PRIMARY of QRTZ_X_NODES.
SELECT @now AS NOW_TIME,
       w.EARLIEST, w.TRIGGERS, w.TOTAL, o.BACKLOG, o.BACKLOG_TOTAL,
       (SELECT n.SIGNAL_NUMBER
        FROM QRTZ_X_NODES AS n
        WHERE n.SCHED_NAME = :schedName
          AND n.INSTANCE_NAME = :instanceId
          AND n.EPOCH = :epoch) AS SIGNAL_NUMBER
FROM (SELECT MIN(f.NEXT_FIRE_TIME) AS EARLIEST,
             COUNT(f.NEXT_FIRE_TIME) AS TRIGGERS,
             CAST(COALESCE(SUM(f.NEXT_FIRE_TIME % 1000000007), 0) AS BIGINT) AS TOTAL
      FROM (SELECT t.NEXT_FIRE_TIME
            FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
            WHERE t.SCHED_NAME = :schedName
              AND t.TRIGGER_STATE = 'WAITING'
              AND t.NEXT_FIRE_TIME >= @now - :lookBack
            ORDER BY t.NEXT_FIRE_TIME
            LIMIT 50) AS f) AS w
CROSS JOIN (SELECT COUNT(*) AS BACKLOG,
                   CAST(COALESCE(SUM(t.NEXT_FIRE_TIME % 1000000007), 0) AS BIGINT) AS BACKLOG_TOTAL
            FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
            WHERE :isCounted = 1
              AND t.SCHED_NAME = :schedName
              AND t.TRIGGER_STATE = 'WAITING'
              AND t.NEXT_FIRE_TIME <> -1
              AND t.NEXT_FIRE_TIME < @now - :lookBack) AS o;

-- name: selectFirstToFire
-- Selects the earliest fire time, past or future, of waiting and reserved triggers; null if there is none. Sent before a large portion of
-- changes is stored.
-- Index: IDX_QRTZ_T_NFT_ST, its first entry in either state.
SELECT (SELECT t.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_STATE = 'WAITING'
          AND t.NEXT_FIRE_TIME <> -1
        ORDER BY t.NEXT_FIRE_TIME
        LIMIT 1) AS WAITING_TIME,
       (SELECT t.NEXT_FIRE_TIME
        FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
        WHERE t.SCHED_NAME = :schedName
          AND t.TRIGGER_STATE = 'ACQUIRED'
          AND t.NEXT_FIRE_TIME <> -1
        ORDER BY t.NEXT_FIRE_TIME
        LIMIT 1) AS RESERVED_TIME;


-- name: selectFirstOfBacklog
-- Selects the earliest trigger of the backlog that this node can handle: it can fire triggers of registered types that its labels and
-- priorities allow, and apply misfire instructions. Sent when the backlog has changed.
-- rows: names of the job types. fullGroups: names of the groups that are full here.
-- Index: IDX_QRTZ_T_NFT_ST in its order, PRIMARY of QRTZ_JOB_DETAILS; PRIMARY of QRTZ_X_PLACES, once by its first column (10,000 that cannot run here: 11 ms).
SELECT t.NEXT_FIRE_TIME
FROM QRTZ_TRIGGERS AS t @index(IDX_QRTZ_T_NFT_ST)
@then QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = t.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
WHERE t.SCHED_NAME = :schedName
  AND t.TRIGGER_STATE = 'WAITING'
  AND t.NEXT_FIRE_TIME <> -1
  AND t.NEXT_FIRE_TIME <= :now
  AND ((t.NEXT_FIRE_TIME < :misfireTime AND t.MISFIRE_INSTR <> -1 AND t.TRIGGER_TYPE <> 'BLOB')
       OR (j.JOB_CLASS_NAME IN @values(:rows, job_type text(250))
           AND t.JOB_GROUP NOT IN @values(:fullGroups, job_group key)
           AND
-- include: mayRunHere
          ))
ORDER BY t.NEXT_FIRE_TIME
LIMIT 1;

-- name: selectNextFallback
-- Examines the first :limit triggers of the backlog that have been due for no longer than this node waits for others. Returns their number,
-- and the earliest time at which this node may fire one that prefers other nodes; null if there is none. Sent after selectFirstOfBacklog
-- found nothing.
-- rows: names of the job types.
-- Index: PRIMARY of QRTZ_X_PLACES by its first column, one row; only if there is one: IDX_QRTZ_T_NFT_ST in its order, then for each of the 100 triggers PRIMARY of QRTZ_X_PLACES and of QRTZ_JOB_DETAILS.
SELECT COUNT(*) AS TRIGGERS, MIN(CASE WHEN j.JOB_NAME IS NOT NULL THEN t.NEXT_FIRE_TIME + LEAST(w.FALLBACK_AFTER, :maxFallbackAfter) END) AS AVAILABLE_AT
FROM (SELECT 1 AS IS_USED FROM QRTZ_X_PLACES WHERE SCHED_NAME = :schedName LIMIT 1) AS x
@then (SELECT o.TRIGGER_NAME, o.TRIGGER_GROUP, o.JOB_NAME, o.JOB_GROUP, o.NEXT_FIRE_TIME, o.PRIORITY
      FROM QRTZ_TRIGGERS AS o @index(IDX_QRTZ_T_NFT_ST)
      WHERE o.SCHED_NAME = :schedName
        AND o.TRIGGER_STATE = 'WAITING'
        AND o.NEXT_FIRE_TIME > :now - :maxFallbackAfter
        AND o.NEXT_FIRE_TIME <= :now
      ORDER BY o.NEXT_FIRE_TIME
      LIMIT :limit) AS t
LEFT JOIN QRTZ_X_PLACES AS w @index(PRIMARY)
  ON w.SCHED_NAME = :schedName AND w.TRIGGER_NAME = t.TRIGGER_NAME AND w.TRIGGER_GROUP = t.TRIGGER_GROUP
 AND w.FALLBACK_AFTER > 0
 AND
-- include: hasLabels
 AND COALESCE(t.PRIORITY, 5) BETWEEN :minPriority AND :maxPriority
LEFT JOIN QRTZ_JOB_DETAILS AS j @index(PRIMARY)
  ON j.SCHED_NAME = w.SCHED_NAME AND j.JOB_NAME = t.JOB_NAME AND j.JOB_GROUP = t.JOB_GROUP
 AND j.JOB_CLASS_NAME IN @values(:rows, job_type text(250));

-- name: selectSignals
-- Selects the signals sent to the nodes so far, and locks them against other senders. rows: instance ids.
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the rows read.
SELECT n.INSTANCE_NAME, n.EPOCH, n.SIGNAL_NUMBER, n.SIGNAL_SEEN, n.SIGNALS
FROM @values(:rows, instance_id key) AS r
@then QRTZ_X_NODES AS n @index(PRIMARY)
  ON n.SCHED_NAME = :schedName AND n.INSTANCE_NAME = r.instance_id
FOR UPDATE OF n;

-- name: updateSignals
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET SIGNAL_NUMBER = :number,
    SIGNALS = :signals
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId;

-- name: selectOwnSignals
-- Index: PRIMARY of QRTZ_X_NODES.
SELECT SIGNALS
FROM QRTZ_X_NODES
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch;

-- name: updateSignalSeen
-- Index: PRIMARY of QRTZ_X_NODES. Locks: the row.
UPDATE QRTZ_X_NODES
SET SIGNAL_SEEN = :number
WHERE SCHED_NAME = :schedName
  AND INSTANCE_NAME = :instanceId
  AND EPOCH = :epoch
  AND SIGNAL_SEEN < :number;

-- name: selectExecutingFirings
-- Selects the firings that execute on any node, and the progress that they reported.
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, its first column: there are no more rows than workers; that of QRTZ_X_PROGRESS.
SELECT f.ENTRY_ID, f.INSTANCE_NAME, f.TRIGGER_NAME, f.TRIGGER_GROUP, f.JOB_NAME, f.JOB_GROUP, f.FIRED_TIME, f.SCHED_TIME,
       p.FRACTION, p.MESSAGE, p.UPDATED_TIME, p.INTERRUPTED_TIME, p.INTERRUPTED_BY
FROM QRTZ_FIRED_TRIGGERS AS f
LEFT JOIN QRTZ_X_PROGRESS AS p
  ON p.SCHED_NAME = f.SCHED_NAME AND p.ENTRY_ID = f.ENTRY_ID
WHERE f.SCHED_NAME = :schedName
  AND f.STATE = 'EXECUTING'
ORDER BY f.FIRED_TIME, f.ENTRY_ID;
