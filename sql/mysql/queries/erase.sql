-- name: deleteEveryFiring
-- Index: PRIMARY of QRTZ_FIRED_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_FIRED_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEverySimpleTrigger
-- Index: PRIMARY of QRTZ_SIMPLE_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_SIMPLE_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryCronTrigger
-- Index: PRIMARY of QRTZ_CRON_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_CRON_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEverySimpropTrigger
-- Index: PRIMARY of QRTZ_SIMPROP_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_SIMPROP_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryBlobTrigger
-- Index: PRIMARY of QRTZ_BLOB_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_BLOB_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryParent
-- Index: PRIMARY of QRTZ_X_PARENTS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PARENTS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryTrigger
-- Index: PRIMARY of QRTZ_TRIGGERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_TRIGGERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryJob
-- Index: PRIMARY of QRTZ_JOB_DETAILS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_JOB_DETAILS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryCalendar
-- Index: PRIMARY of QRTZ_CALENDARS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_CALENDARS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryPausedGroup
-- Index: PRIMARY of QRTZ_PAUSED_TRIGGER_GRPS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_PAUSED_TRIGGER_GRPS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryPause
-- Index: PRIMARY of QRTZ_X_PAUSES, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PAUSES AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryDeclared
-- Index: PRIMARY of QRTZ_X_DECLARED, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_DECLARED AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryRun
-- Those that pruning has left.
-- Index: PRIMARY of QRTZ_X_RUNS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_RUNS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryHeld
-- Index: PRIMARY of QRTZ_X_HELD, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_HELD AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryRate
-- Index: PRIMARY of QRTZ_X_RATES, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_RATES AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryPutOff
-- Index: PRIMARY of QRTZ_X_PUT_OFF, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PUT_OFF AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryWaiter
-- Index: PRIMARY of QRTZ_X_WAITERS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_WAITERS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryPlace
-- Index: PRIMARY of QRTZ_X_PLACES, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PLACES AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryCheckpoint
-- Index: PRIMARY of QRTZ_X_CHECKPOINTS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_CHECKPOINTS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryAction
-- Index: PRIMARY of QRTZ_X_ACTIONS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_ACTIONS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryOccurrence
-- Index: PRIMARY of QRTZ_X_PARTS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PARTS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryProgress
-- Index: PRIMARY of QRTZ_X_PROGRESS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_PROGRESS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryExpectation
-- Index: PRIMARY of QRTZ_X_EXPECTATIONS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_EXPECTATIONS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryCheckIn
-- Index: PRIMARY of QRTZ_SCHEDULER_STATE, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_SCHEDULER_STATE AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryNode
-- Index: PRIMARY of QRTZ_X_NODES, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_NODES AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryFact
-- Index: PRIMARY of QRTZ_X_META, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_X_META AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;

-- name: deleteEveryLock
-- The last ones: under them the others were deleted.
-- Index: PRIMARY of QRTZ_LOCKS, its first column. Locks: the rows deleted.
DELETE t
FROM QRTZ_LOCKS AS t FORCE INDEX (PRIMARY)
WHERE t.SCHED_NAME = :schedName;
