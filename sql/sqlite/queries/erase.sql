-- name: deleteEveryFiring
-- Index: The primary key of QRTZ_FIRED_TRIGGERS, its first column.
DELETE FROM QRTZ_FIRED_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEverySimpleTrigger
-- Index: The primary key of QRTZ_SIMPLE_TRIGGERS, its first column.
DELETE FROM QRTZ_SIMPLE_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryCronTrigger
-- Index: The primary key of QRTZ_CRON_TRIGGERS, its first column.
DELETE FROM QRTZ_CRON_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEverySimpropTrigger
-- Index: The primary key of QRTZ_SIMPROP_TRIGGERS, its first column.
DELETE FROM QRTZ_SIMPROP_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryBlobTrigger
-- Index: The primary key of QRTZ_BLOB_TRIGGERS, its first column.
DELETE FROM QRTZ_BLOB_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryParent
-- Index: IDX_QRTZ_X_P_J, its first column.
DELETE FROM QRTZ_X_PARENTS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryTrigger
-- Index: IDX_QRTZ_T_G, its first column.
DELETE FROM QRTZ_TRIGGERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryJob
-- Index: The primary key of QRTZ_JOB_DETAILS, its first column.
DELETE FROM QRTZ_JOB_DETAILS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryCalendar
-- Index: The primary key of QRTZ_CALENDARS, its first column.
DELETE FROM QRTZ_CALENDARS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryPausedGroup
-- Index: The primary key of QRTZ_PAUSED_TRIGGER_GRPS, its first column.
DELETE FROM QRTZ_PAUSED_TRIGGER_GRPS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryPause
-- Index: The primary key of QRTZ_X_PAUSES, its first column.
DELETE FROM QRTZ_X_PAUSES
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryDeclared
-- Index: The primary key of QRTZ_X_DECLARED, its first column.
DELETE FROM QRTZ_X_DECLARED
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryRun
-- Those that pruning has left.
-- Index: IDX_QRTZ_X_R_I, its first column.
DELETE FROM QRTZ_X_RUNS INDEXED BY IDX_QRTZ_X_R_I
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryHeld
-- Index: The primary key of QRTZ_X_HELD, its first column.
DELETE FROM QRTZ_X_HELD
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryRate
-- Index: The primary key of QRTZ_X_RATES, its first column.
DELETE FROM QRTZ_X_RATES
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryPutOff
-- Index: The primary key of QRTZ_X_PUT_OFF, its first column.
DELETE FROM QRTZ_X_PUT_OFF
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryWaiter
-- Index: The primary key of QRTZ_X_WAITERS, its first column.
DELETE FROM QRTZ_X_WAITERS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryPlace
-- Index: The primary key of QRTZ_X_PLACES, its first column.
DELETE FROM QRTZ_X_PLACES
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryCheckpoint
-- Index: IDX_QRTZ_X_C_U, its first column.
DELETE FROM QRTZ_X_CHECKPOINTS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryAction
-- Index: IDX_QRTZ_X_A_O, its first column.
DELETE FROM QRTZ_X_ACTIONS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryOccurrence
-- Index: The primary key of QRTZ_X_PARTS, its first column.
DELETE FROM QRTZ_X_PARTS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryProgress
-- Index: The primary key of QRTZ_X_PROGRESS, its first column.
DELETE FROM QRTZ_X_PROGRESS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryExpectation
-- Index: The primary key of QRTZ_X_EXPECTATIONS, its first column.
DELETE FROM QRTZ_X_EXPECTATIONS
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryCheckIn
-- Index: The primary key of QRTZ_SCHEDULER_STATE, its first column.
DELETE FROM QRTZ_SCHEDULER_STATE
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryNode
-- Index: The primary key of QRTZ_X_NODES, its first column.
DELETE FROM QRTZ_X_NODES
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryFact
-- Index: The primary key of QRTZ_X_META, its first column.
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = :schedName;

-- name: deleteEveryLock
-- The last ones: under them the others were deleted.
-- Index: The primary key of QRTZ_LOCKS, its first column.
DELETE FROM QRTZ_LOCKS
WHERE SCHED_NAME = :schedName;
