-- The tables of sql/mysql for SQLite, with the same names, columns and keys. TEXT has no maximum length; the scheduler checks lengths itself.
-- STRICT: a column accepts only values of its declared type. WITHOUT ROWID for tables with small rows: one tree instead of two.
-- Generated from migrations/ by scripts/write-schema.mjs. The comment above each table explains its indexes.

-- name: createJobDetails
-- Jobs.
CREATE TABLE IF NOT EXISTS QRTZ_JOB_DETAILS (
  SCHED_NAME TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  DESCRIPTION TEXT,
  JOB_CLASS_NAME TEXT NOT NULL,
  IS_DURABLE TEXT NOT NULL,
  IS_NONCONCURRENT TEXT NOT NULL,
  IS_UPDATE_DATA TEXT NOT NULL,
  REQUESTS_RECOVERY TEXT NOT NULL,
  JOB_DATA BLOB,
  PRIMARY KEY (SCHED_NAME, JOB_NAME, JOB_GROUP)
) STRICT;

-- name: createTriggers
-- Columns that triggers of all types have. NEXT_FIRE_TIME and PREV_FIRE_TIME: -1 for none. END_TIME: 0 for none.
-- T_J: triggers of a job. The foreign key needs it too.
-- T_NFT_ST: due triggers in firing order. Its first entry is the earliest fire time, which is read ten times a second.
-- T_G, T_C: triggers of a group and of a calendar. They are read under the cluster-wide lock, where a table scan would stall every node.
-- T_J, T_G, T_C: end with the key, as indexes of MySQL do, so that many triggers can be read in portions. T_C contains only triggers that have
-- a calendar.
CREATE TABLE IF NOT EXISTS QRTZ_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  DESCRIPTION TEXT,
  NEXT_FIRE_TIME INTEGER,
  PREV_FIRE_TIME INTEGER,
  PRIORITY INTEGER,
  TRIGGER_STATE TEXT NOT NULL,
  TRIGGER_TYPE TEXT NOT NULL,
  START_TIME INTEGER NOT NULL,
  END_TIME INTEGER,
  CALENDAR_NAME TEXT,
  MISFIRE_INSTR INTEGER,
  JOB_DATA BLOB,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, JOB_NAME, JOB_GROUP) REFERENCES QRTZ_JOB_DETAILS (SCHED_NAME, JOB_NAME, JOB_GROUP)
) STRICT;

-- name: indexTJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_T_J ON QRTZ_TRIGGERS (SCHED_NAME, JOB_NAME, JOB_GROUP, TRIGGER_NAME, TRIGGER_GROUP);

-- name: indexTNftSt
CREATE INDEX IF NOT EXISTS IDX_QRTZ_T_NFT_ST ON QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_STATE, NEXT_FIRE_TIME, PRIORITY DESC, TRIGGER_GROUP,
  TRIGGER_NAME);

-- name: indexTG
CREATE INDEX IF NOT EXISTS IDX_QRTZ_T_G ON QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_GROUP, TRIGGER_NAME);

-- name: indexTC
CREATE INDEX IF NOT EXISTS IDX_QRTZ_T_C ON QRTZ_TRIGGERS (SCHED_NAME, CALENDAR_NAME, TRIGGER_NAME, TRIGGER_GROUP)
  WHERE CALENDAR_NAME IS NOT NULL;

-- name: createSimpleTriggers
-- Further columns of SIMPLE triggers.
CREATE TABLE IF NOT EXISTS QRTZ_SIMPLE_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  REPEAT_COUNT INTEGER NOT NULL,
  REPEAT_INTERVAL INTEGER NOT NULL,
  TIMES_TRIGGERED INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: createCronTriggers
-- Further columns of CRON triggers.
CREATE TABLE IF NOT EXISTS QRTZ_CRON_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  CRON_EXPRESSION TEXT NOT NULL,
  TIME_ZONE_ID TEXT,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: createSimpropTriggers
-- Further columns of CAL_INT, DAILY_I and AFTER triggers. src/store/sql/rows/trigger-kinds.ts defines the meaning of the columns.
CREATE TABLE IF NOT EXISTS QRTZ_SIMPROP_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  STR_PROP_1 TEXT,
  STR_PROP_2 TEXT,
  STR_PROP_3 TEXT,
  INT_PROP_1 INTEGER,
  INT_PROP_2 INTEGER,
  LONG_PROP_1 INTEGER,
  LONG_PROP_2 INTEGER,
  DEC_PROP_1 REAL,
  DEC_PROP_2 REAL,
  BOOL_PROP_1 TEXT,
  BOOL_PROP_2 TEXT,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT;

-- name: createBlobTriggers
-- Triggers of types that only Java supports. This library never writes to it, except to delete rows.
CREATE TABLE IF NOT EXISTS QRTZ_BLOB_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  BLOB_DATA BLOB,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT;

-- name: createCalendars
-- Calendars of excluded times, by name.
CREATE TABLE IF NOT EXISTS QRTZ_CALENDARS (
  SCHED_NAME TEXT NOT NULL,
  CALENDAR_NAME TEXT NOT NULL,
  CALENDAR BLOB NOT NULL,
  PRIMARY KEY (SCHED_NAME, CALENDAR_NAME)
) STRICT;

-- name: createPausedTriggerGroups
-- Paused groups. New triggers of these groups are paused.
CREATE TABLE IF NOT EXISTS QRTZ_PAUSED_TRIGGER_GRPS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: createFiredTriggers
-- One row for every trigger that is acquired or executing. Only the node that owns the row may complete the firing.
-- FT_INST_JOB_REQ_RCVRY: firings of a node. FT_J_G: executing firings of a job. FT_T_G: firings of a trigger.
CREATE TABLE IF NOT EXISTS QRTZ_FIRED_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  FIRED_TIME INTEGER NOT NULL,
  SCHED_TIME INTEGER NOT NULL,
  PRIORITY INTEGER NOT NULL,
  STATE TEXT NOT NULL,
  JOB_NAME TEXT,
  JOB_GROUP TEXT,
  IS_NONCONCURRENT TEXT,
  REQUESTS_RECOVERY TEXT,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: indexFtInstJobReqRcvry
CREATE INDEX IF NOT EXISTS IDX_QRTZ_FT_INST_JOB_REQ_RCVRY ON QRTZ_FIRED_TRIGGERS (SCHED_NAME, INSTANCE_NAME, REQUESTS_RECOVERY);

-- name: indexFtJG
CREATE INDEX IF NOT EXISTS IDX_QRTZ_FT_J_G ON QRTZ_FIRED_TRIGGERS (SCHED_NAME, JOB_NAME, JOB_GROUP);

-- name: indexFtTG
CREATE INDEX IF NOT EXISTS IDX_QRTZ_FT_T_G ON QRTZ_FIRED_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP);

-- name: createSchedulerState
-- Last check-in of every node.
CREATE TABLE IF NOT EXISTS QRTZ_SCHEDULER_STATE (
  SCHED_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  LAST_CHECKIN_TIME INTEGER NOT NULL,
  CHECKIN_INTERVAL INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, INSTANCE_NAME)
) STRICT, WITHOUT ROWID;

-- name: createLocks
-- Rows whose locks serve as cluster-wide locks.
CREATE TABLE IF NOT EXISTS QRTZ_LOCKS (
  SCHED_NAME TEXT NOT NULL,
  LOCK_NAME TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, LOCK_NAME)
) STRICT, WITHOUT ROWID;

-- name: createNodes
-- Data of nodes that QRTZ_SCHEDULER_STATE has no column for. Java nodes do not use it: a node without a row here is a Java node.
-- EPOCH: incarnation of the node. SIGNAL_NUMBER: number of the last request in SIGNALS (JSON). SIGNAL_SEEN: last request that the node has handled.
-- JOB_TYPES: types that the node can run, as a JSON list; null if unknown.
-- PROCESS_SCOPE: machine, boot and namespaces in which PROCESS_ID is unique. PROCESS_START: distinguishes the process from later ones with the
-- same id. Both are null if the operating system does not provide them; the node is then considered dead only after its silence.
-- LABELS: labels of the node, as a JSON list; null for an older version.
-- LOAD_FIGURES: load of the node in the last 15 minutes, from its check-in, as a JSON list; null for an older version.
CREATE TABLE IF NOT EXISTS QRTZ_X_NODES (
  SCHED_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  EPOCH TEXT NOT NULL,
  PROTOCOL INTEGER NOT NULL,
  VERSION TEXT NOT NULL,
  TIME_ZONE_DATA TEXT NULL,
  HOST TEXT NOT NULL,
  PROCESS_ID INTEGER NOT NULL,
  STARTED_AT INTEGER NOT NULL,
  CHECKIN_GRACE INTEGER NOT NULL,
  CLOCK_OFFSET INTEGER NOT NULL,
  STATUS TEXT NOT NULL,
  REFUSED_TRAIN INTEGER NOT NULL DEFAULT 0,
  SIGNAL_NUMBER INTEGER NOT NULL,
  SIGNAL_SEEN INTEGER NOT NULL,
  SIGNALS TEXT,
  JOB_TYPES TEXT,
  PROCESS_SCOPE TEXT,
  PROCESS_START INTEGER,
  LABELS TEXT,
  LOAD_FIGURES TEXT,
  PRIMARY KEY (SCHED_NAME, INSTANCE_NAME)
) STRICT;

-- name: createMeta
-- Data about the tables, such as applied migrations, and values that all nodes of a scheduler share. SCHED_NAME '': applies to all schedulers.
CREATE TABLE IF NOT EXISTS QRTZ_X_META (
  SCHED_NAME TEXT NOT NULL,
  META_KEY TEXT NOT NULL,
  META_VALUE TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, META_KEY)
) STRICT, WITHOUT ROWID;

-- name: createDeclared
-- Declarations of jobs, triggers and calendars, and their manual edits.
-- SUBJECT: job, trigger or calendar. SUBJECT_GROUP is empty for calendars. JOB_NAME, JOB_GROUP: job of the trigger, or the job itself.
-- DECLARED_SET: declared set; null for none. DEFINITION: schedule of a trigger that ends. A trigger that has ended stays ended while its declared
-- schedule equals this one. OWNER: origin of the declaration, in JSON. EDITS: manually edited and declared values, in JSON; null for none.
CREATE TABLE IF NOT EXISTS QRTZ_X_DECLARED (
  SCHED_NAME TEXT NOT NULL,
  SUBJECT TEXT NOT NULL,
  SUBJECT_NAME TEXT NOT NULL,
  SUBJECT_GROUP TEXT NOT NULL,
  JOB_NAME TEXT,
  JOB_GROUP TEXT,
  DECLARED_SET TEXT,
  DEFINITION TEXT,
  OWNER TEXT NOT NULL,
  IS_EDITED INTEGER NOT NULL,
  EDITS TEXT,
  PRIMARY KEY (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexDeclaredJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_D_J ON QRTZ_X_DECLARED (SCHED_NAME, JOB_NAME, JOB_GROUP);

-- name: indexDeclaredE
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_D_E ON QRTZ_X_DECLARED (SCHED_NAME, IS_EDITED, SUBJECT, SUBJECT_GROUP, SUBJECT_NAME);

-- name: createRuns
-- Recorded runs. Rows are appended, and the oldest are deleted first.
-- RUN_ID: ENTRY_ID of the run in QRTZ_FIRED_TRIGGERS. OCCURRENCE_ID: RUN_ID of the occurrence's first run. TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME:
-- those of the first firing, also for a retry or a recovery. DETAIL: JSON, see domain/run.ts.
-- X_R_J, X_R_T: runs of a job and of a trigger, by outcome, so that a few failures are found among many successes.
-- X_R_O: runs by outcome, dead letters, and the runs that retention deletes.
-- X_R_I: runs by id.
CREATE TABLE IF NOT EXISTS QRTZ_X_RUNS (
  SCHED_NAME TEXT NOT NULL,
  ENDED_TIME INTEGER NOT NULL,
  RUN_ID TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  JOB_CLASS_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  SCHED_TIME INTEGER NOT NULL,
  FIRED_TIME INTEGER NOT NULL,
  ATTEMPT INTEGER NOT NULL,
  OUTCOME TEXT NOT NULL,
  IS_DEAD_LETTER TEXT NOT NULL,
  ERROR_MESSAGE TEXT,
  DETAIL TEXT,
  PRIMARY KEY (SCHED_NAME, ENDED_TIME, RUN_ID)
) STRICT;

-- name: indexRunsJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_J ON QRTZ_X_RUNS (SCHED_NAME, JOB_NAME, JOB_GROUP, OUTCOME, ENDED_TIME, RUN_ID);

-- name: indexRunsT
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_T ON QRTZ_X_RUNS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, OUTCOME, ENDED_TIME, RUN_ID);

-- name: indexRunsO
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_O ON QRTZ_X_RUNS (SCHED_NAME, OUTCOME, IS_DEAD_LETTER, ENDED_TIME, RUN_ID);

-- name: indexRunsI
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_R_I ON QRTZ_X_RUNS (SCHED_NAME, RUN_ID);

-- name: createPauses
-- Pauses with a reason, author or end time. Other pauses have no row. TARGET: trigger, job, triggers or jobs. TARGET_GROUP and TARGET_NAME: key of
-- the trigger or job; for groups, the compared text and the operator. UNTIL_TIME: time at which the pause ends automatically; null for none.
-- PS_U: pauses with an end time. Every node reads it often, however many pauses have none.
-- HOLDS_RETRIES: 0 if waiting runs of earlier occurrences continue, otherwise 1.
CREATE TABLE IF NOT EXISTS QRTZ_X_PAUSES (
  SCHED_NAME TEXT NOT NULL,
  TARGET TEXT NOT NULL,
  TARGET_GROUP TEXT NOT NULL,
  TARGET_NAME TEXT NOT NULL,
  REASON TEXT,
  PAUSED_BY TEXT,
  SINCE_TIME INTEGER NOT NULL,
  UNTIL_TIME INTEGER,
  HOLDS_RETRIES TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME)
) STRICT, WITHOUT ROWID;

-- name: indexPauseEnds
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_PS_U ON QRTZ_X_PAUSES (SCHED_NAME, UNTIL_TIME);

-- name: createHeld
-- Holders of limit keys. ENTRY_ID: id of a fired trigger, or of an occurrence with parts. A row counts while that trigger or occurrence is
-- stored: the recovery of a dead node frees the keys of its firings, and an occurrence holds its key until its last part has ended.
CREATE TABLE IF NOT EXISTS QRTZ_X_HELD (
  SCHED_NAME TEXT NOT NULL,
  LIMIT_KEY TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: createWaiters
-- Triggers that are BLOCKED because the limit of their key is reached. The one that was due first continues first. MAX_RUNNING: that limit.
CREATE TABLE IF NOT EXISTS QRTZ_X_WAITERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  LIMIT_KEY TEXT NOT NULL,
  MAX_RUNNING INTEGER NOT NULL,
  NEXT_FIRE_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexWaitersK
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_W_K ON QRTZ_X_WAITERS (SCHED_NAME, LIMIT_KEY, NEXT_FIRE_TIME);

-- name: createProgress
-- Progress and log lines of runs, written by the run's node at most once a second. A row counts while its fired trigger exists.
-- LOG_LINES: JSON, see domain/progress.ts. UPDATED_TIME: time of the last progress report, by the clock of the node.
-- INTERRUPTED_TIME, INTERRUPTED_BY: the first request to interrupt the run.
CREATE TABLE IF NOT EXISTS QRTZ_X_PROGRESS (
  SCHED_NAME TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  FRACTION REAL,
  MESSAGE TEXT,
  LOG_LINES TEXT,
  UPDATED_TIME INTEGER,
  INTERRUPTED_TIME INTEGER,
  INTERRUPTED_BY TEXT,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: createMisfired
-- Triggers whose fire time a misfire has moved. FIRST_DUE_TIME: time at which the trigger was first due. A row counts while its NEXT_FIRE_TIME equals
-- the trigger's: whatever moves the trigger to another fire time, also on a Java node, ends its wait. PRIORITY: that of the trigger, 5 if it has none.
-- MI_P: triggers of one priority that have waited longest. It contains NEXT_FIRE_TIME, so that triggers that are not due are skipped in the index.
CREATE TABLE IF NOT EXISTS QRTZ_X_MISFIRED (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  PRIORITY INTEGER NOT NULL,
  NEXT_FIRE_TIME INTEGER NOT NULL,
  FIRST_DUE_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexMisfiredP
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_MI_P ON QRTZ_X_MISFIRED (SCHED_NAME, PRIORITY, FIRST_DUE_TIME, NEXT_FIRE_TIME);

-- name: createPlaces
-- Triggers that need or prefer certain nodes. RUNS_ON, PREFERS: JSON lists of labels; a node must have all of them. FALLBACK_AFTER: lateness in
-- milliseconds after which nodes without the preferred labels may fire the trigger.
CREATE TABLE IF NOT EXISTS QRTZ_X_PLACES (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  RUNS_ON TEXT NOT NULL,
  PREFERS TEXT NOT NULL,
  FALLBACK_AFTER INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: createRates
-- States of rate keys. STATE: start times of firings, and assigned turns, in JSON. From IDLE_TIME on (epoch milliseconds), the state has no effect
-- and may be deleted (X_RA_N).
CREATE TABLE IF NOT EXISTS QRTZ_X_RATES (
  SCHED_NAME TEXT NOT NULL,
  RATE_KEY TEXT NOT NULL,
  STATE TEXT NOT NULL,
  IDLE_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, RATE_KEY)
) STRICT, WITHOUT ROWID;

-- name: indexRatesN
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_RA_N ON QRTZ_X_RATES (SCHED_NAME, IDLE_TIME);

-- name: createPutOff
-- Triggers of firings that wait for their turn under a rate key, in the order in which they were due (X_PO_K). ENTRY_ID: the deferred firing; its
-- completion stores the trigger.
CREATE TABLE IF NOT EXISTS QRTZ_X_PUT_OFF (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  RATE_KEY TEXT NOT NULL,
  DUE_TIME INTEGER NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: indexPutOffK
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_PO_K ON QRTZ_X_PUT_OFF (SCHED_NAME, RATE_KEY, DUE_TIME, TRIGGER_NAME, TRIGGER_GROUP);

-- name: createParents
-- Jobs that triggers of the type AFTER wait for, numbered per trigger. X_P_J: triggers that wait for a job. The conditions are in
-- QRTZ_SIMPROP_TRIGGERS.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARENTS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  PARENT_NUMBER INTEGER NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER)
) STRICT, WITHOUT ROWID;

-- name: indexParentsJ
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_P_J ON QRTZ_X_PARENTS (SCHED_NAME, JOB_NAME, JOB_GROUP);

-- name: createParts
-- Occurrences that run in parts, from the end of the first firing (OCCURRENCE_ID: its entry id) until the last part has ended. REMAINING: parts
-- that have not ended, including their retries. FAILED: parts that have failed.
-- IS_BROADCAST: each part runs on its own node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARTS (
  SCHED_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  SCHED_TIME INTEGER NOT NULL,
  STARTED_TIME INTEGER NOT NULL,
  PARTS INTEGER NOT NULL,
  REMAINING INTEGER NOT NULL,
  FAILED INTEGER NOT NULL,
  IS_BROADCAST TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID)
) STRICT, WITHOUT ROWID;

-- name: createExpectations
-- Jobs and triggers with mustSucceedWithin. OWNER: trigger or job. OWNER_NAME, OWNER_GROUP: its key. JOB_NAME, JOB_GROUP: job of the trigger, or
-- the job itself. SINCE_TIME: time from which WITHIN_MS milliseconds count. DUE_TIME: time at which it becomes overdue. NOTIFIED: whether this has
-- been reported.
CREATE TABLE IF NOT EXISTS QRTZ_X_EXPECTATIONS (
  SCHED_NAME TEXT NOT NULL,
  OWNER_NAME TEXT NOT NULL,
  OWNER_GROUP TEXT NOT NULL,
  OWNER TEXT NOT NULL,
  JOB_NAME TEXT NOT NULL,
  JOB_GROUP TEXT NOT NULL,
  WITHIN_MS INTEGER NOT NULL,
  SINCE_TIME INTEGER NOT NULL,
  DUE_TIME INTEGER NOT NULL,
  LAST_SUCCESS INTEGER,
  NOTIFIED TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER)
) STRICT, WITHOUT ROWID;

-- name: indexExpectationsD
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_E_D ON QRTZ_X_EXPECTATIONS (SCHED_NAME, NOTIFIED, DUE_TIME);

-- name: createCheckpoints
-- Checkpoints of occurrences, or of their parts (SHARD; -1: no parts), until the occurrence ends. OCCURRENCE_ID: entry id of its first firing.
-- SAVED_VALUE: JSON. RUN_ID: run that saved the checkpoint, or the last run that ended with it. UPDATED_TIME: time of that. Checkpoints that no
-- run needs are deleted by age.
CREATE TABLE IF NOT EXISTS QRTZ_X_CHECKPOINTS (
  SCHED_NAME TEXT NOT NULL,
  OCCURRENCE_ID TEXT NOT NULL,
  SHARD INTEGER NOT NULL,
  SAVED_VALUE TEXT NOT NULL,
  RUN_ID TEXT NOT NULL,
  UPDATED_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID, SHARD)
) STRICT;

-- name: indexCheckpointsU
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_C_U ON QRTZ_X_CHECKPOINTS (SCHED_NAME, UPDATED_TIME);

-- name: createActions
-- Log of actions. ACTION_TIME: by the store's clock. VIA: interface, such as http. ADDRESS: network address; null: this machine. SUBJECT: target of
-- the action. INPUT: JSON without secrets. CHANGES: changed values, JSON without secrets; null if unknown. ERROR_MESSAGE: reason of a failure; null
-- if the action succeeded.
CREATE TABLE IF NOT EXISTS QRTZ_X_ACTIONS (
  SCHED_NAME TEXT NOT NULL,
  ACTION_TIME INTEGER NOT NULL,
  ACTION_ID TEXT NOT NULL,
  ACTOR_NAME TEXT NOT NULL,
  ACTOR_ROLE TEXT NOT NULL,
  VIA TEXT NOT NULL,
  ADDRESS TEXT NULL,
  OPERATION TEXT NOT NULL,
  SUBJECT TEXT NOT NULL,
  INPUT TEXT NOT NULL,
  CHANGES TEXT NULL,
  ERROR_MESSAGE TEXT NULL,
  PRIMARY KEY (SCHED_NAME, ACTION_TIME, ACTION_ID)
) STRICT;

-- name: indexActionsN
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_A_N ON QRTZ_X_ACTIONS (SCHED_NAME, ACTOR_NAME, ACTION_TIME, ACTION_ID);

-- name: indexActionsO
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_A_O ON QRTZ_X_ACTIONS (SCHED_NAME, OPERATION, ACTION_TIME, ACTION_ID);

-- name: createSessions
-- Login sessions of consoles. SESSION_HASH: SHA-256 of the id in the cookie. USER_KIND: user or token. CREDENTIAL_HASH: SHA-256 of the configured
-- hash with which the session began: another password or token ends it.
CREATE TABLE IF NOT EXISTS QRTZ_X_SESSIONS (
  SCHED_NAME TEXT NOT NULL,
  SESSION_HASH TEXT NOT NULL,
  USER_KIND TEXT NOT NULL,
  USER_NAME TEXT NOT NULL,
  CREDENTIAL_HASH TEXT NOT NULL,
  END_TIME INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, SESSION_HASH)
) STRICT, WITHOUT ROWID;

-- name: indexSessionsE
CREATE INDEX IF NOT EXISTS IDX_QRTZ_X_SE_E ON QRTZ_X_SESSIONS (SCHED_NAME, END_TIME);
