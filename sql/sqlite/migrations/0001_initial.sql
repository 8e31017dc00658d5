-- The tables of sql/mysql in SQLite: the same names, columns and keys. TEXT has no length; the scheduler checks lengths itself.
-- STRICT: a column holds what it is declared to hold. WITHOUT ROWID where rows are small: one tree instead of two.
-- Every step can run again on tables that have it already.

-- name: createJobDetails
-- A job: what runs, and how.
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
-- What all kinds of triggers share. NEXT_FIRE_TIME and PREV_FIRE_TIME: -1 is none; END_TIME: 0 is none.
-- T_J: the triggers of a job; the foreign key needs it too.
-- T_NFT_ST: what is due, in the order it fires; the earliest fire time, read ten times a second, is its first entry.
-- T_G, T_C: pausing a group, and asking who uses a calendar, happen under the cluster-wide lock: a scan would stall every node.
-- T_J, T_G, T_C end with the key, as on a server by themselves: what is many is read in portions, in their order. Few triggers have a calendar:
-- the others cost T_C nothing.
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
-- The rest of a SIMPLE trigger.
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
-- The rest of a CRON trigger.
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
-- The rest of a CAL_INT or DAILY_I trigger; which column means what is in src/store/sql/rows/trigger-kinds.ts.
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
-- Triggers of kinds that only Java knows. We never write here.
CREATE TABLE IF NOT EXISTS QRTZ_BLOB_TRIGGERS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  BLOB_DATA BLOB,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) STRICT;

-- name: createCalendars
-- Times to leave out, by name.
CREATE TABLE IF NOT EXISTS QRTZ_CALENDARS (
  SCHED_NAME TEXT NOT NULL,
  CALENDAR_NAME TEXT NOT NULL,
  CALENDAR BLOB NOT NULL,
  PRIMARY KEY (SCHED_NAME, CALENDAR_NAME)
) STRICT;

-- name: createPausedTriggerGroups
-- Groups whose triggers start paused.
CREATE TABLE IF NOT EXISTS QRTZ_PAUSED_TRIGGER_GRPS (
  SCHED_NAME TEXT NOT NULL,
  TRIGGER_GROUP TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_GROUP)
) STRICT, WITHOUT ROWID;

-- name: createFiredTriggers
-- One row for every trigger that is acquired or executing: the token without which nothing may be completed.
-- FT_INST_JOB_REQ_RCVRY: what a dead node held. FT_J_G: is the job executing? FT_T_G: who holds the trigger?
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
-- The check-in of every node.
CREATE TABLE IF NOT EXISTS QRTZ_SCHEDULER_STATE (
  SCHED_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  LAST_CHECKIN_TIME INTEGER NOT NULL,
  CHECKIN_INTERVAL INTEGER NOT NULL,
  PRIMARY KEY (SCHED_NAME, INSTANCE_NAME)
) STRICT, WITHOUT ROWID;

-- name: createLocks
-- The rows that the cluster-wide locks are taken on.
CREATE TABLE IF NOT EXISTS QRTZ_LOCKS (
  SCHED_NAME TEXT NOT NULL,
  LOCK_NAME TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, LOCK_NAME)
) STRICT, WITHOUT ROWID;

-- name: createNodes
-- Our own nodes: what QRTZ_SCHEDULER_STATE has no column for. Java nodes never read it; a node without a row here is one.
-- EPOCH: one life of the process. SIGNAL_NUMBER grows with every request in SIGNALS (JSON); SIGNAL_SEEN: how far the node has acted.
-- JOB_TYPES: what it can run, a list in JSON; null where that is not known.
-- PROCESS_SCOPE: where PROCESS_ID means this one process (machine, boot, namespaces); PROCESS_START tells it from later ones of that
-- id. Null where a system does not tell: then only silence shows that the node is dead.
-- LABELS: those of the node, as a list in JSON; null: an older version.
-- LOAD_FIGURES: what the node did in the last 15 minutes, as its check-in said it, a list in JSON; null: an older version.
CREATE TABLE IF NOT EXISTS QRTZ_X_NODES (
  SCHED_NAME TEXT NOT NULL,
  INSTANCE_NAME TEXT NOT NULL,
  EPOCH TEXT NOT NULL,
  PROTOCOL INTEGER NOT NULL,
  VERSION TEXT NOT NULL,
  HOST TEXT NOT NULL,
  PROCESS_ID INTEGER NOT NULL,
  STARTED_AT INTEGER NOT NULL,
  CHECKIN_GRACE INTEGER NOT NULL,
  CLOCK_OFFSET INTEGER NOT NULL,
  STATUS TEXT NOT NULL,
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
-- Facts about the tables: the migrations applied, and what all nodes of a scheduler must agree on. SCHED_NAME is '' where it concerns all.
CREATE TABLE IF NOT EXISTS QRTZ_X_META (
  SCHED_NAME TEXT NOT NULL,
  META_KEY TEXT NOT NULL,
  META_VALUE TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, META_KEY)
) STRICT, WITHOUT ROWID;

-- name: createDeclared
-- Who declared each job, trigger and calendar, and what was edited of it by hand.
-- SUBJECT: job, trigger or calendar, whose SUBJECT_GROUP is empty. JOB_NAME, JOB_GROUP: of a trigger its job, of a job itself.
-- DECLARED_SET: the set that it belongs to, null for none. DEFINITION: the schedule of a trigger that ends; an end that it tells of is not begun again.
-- OWNER: who declared it, in JSON. EDITS: what was edited by hand and what is declared, in JSON; null: nothing was.
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
-- One row for every run that was recorded: rows are appended, and the oldest are deleted first.
-- RUN_ID: the ENTRY_ID that the run had in QRTZ_FIRED_TRIGGERS. OCCURRENCE_ID: the RUN_ID of the first run. TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME: those of that first firing, also
-- for a retry or a recovery. DETAIL: JSON, see domain/run.ts.
-- X_R_J, X_R_T: the runs of a job, of a trigger, each outcome by itself, so that its few failures are found among its many successes.
-- X_R_O: runs by their outcome, dead letters, and what retention deletes.
-- X_R_I: a run by its id.
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
-- What was said of pauses; one of which nothing was said has no row. TARGET: trigger, job, triggers or jobs. TARGET_GROUP and TARGET_NAME: the
-- key of the one; of groups, what they are compared with, and how. UNTIL_TIME: when it ends by itself; null for one that does not.
-- PS_U: what ends by itself, read by every node again and again, however many do not.
-- HOLDS_RETRIES: 0 where waiting runs of earlier occurrences go on, else 1.
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
-- What holds a key. ENTRY_ID: a fired trigger, or the id of an occurrence that is run in parts. A row counts while that row exists: what a dead
-- node held is free with its recovery, and an occurrence holds its key until its last part has ended.
CREATE TABLE IF NOT EXISTS QRTZ_X_HELD (
  SCHED_NAME TEXT NOT NULL,
  LIMIT_KEY TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  PRIMARY KEY (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: createWaiters
-- Triggers that are BLOCKED because their key is full; the one that was due first goes on first. MAX_RUNNING: the limit that it met.
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
-- One row for a run that said something, written by its node at most once a second. It counts as long as its fired trigger stands.
-- LOG_LINES: JSON, see domain/progress.ts. UPDATED_TIME: when it said how far it is, by the clock of its node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PROGRESS (
  SCHED_NAME TEXT NOT NULL,
  ENTRY_ID TEXT NOT NULL,
  FRACTION REAL,
  MESSAGE TEXT,
  LOG_LINES TEXT,
  UPDATED_TIME INTEGER,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID)
) STRICT, WITHOUT ROWID;

-- name: createPlaces
-- Only of triggers that not every node may fire. RUNS_ON, PREFERS: lists of labels in JSON, of which all are needed. FALLBACK_AFTER: by how many
-- milliseconds a trigger must be late for nodes without the preferred ones.
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
-- The state of a key (STATE: when its firings began, and which turns were given, as JSON). From IDLE_TIME on (milliseconds since 1970) nothing
-- is known of it any more, and the row is found by that (X_RA_N).
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
-- The line of a key: the triggers of firings that wait for their turn, in the order in which they were due (X_PO_K). ENTRY_ID: the firing that was
-- put off; the trigger is stored when that is completed.
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
-- The jobs that triggers of the type AFTER wait for, numbered by trigger: by which a job finds what waits for it (X_P_J). What the
-- triggers say of them is in QRTZ_SIMPROP_TRIGGERS.
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
-- One row for each occurrence that is run in parts, from the end of its first firing (OCCURRENCE_ID: the entry id) until each has
-- ended for good. REMAINING: those that have not; FAILED: those that have, as failed.
-- IS_BROADCAST: each part belongs to one node.
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
-- One row for each. OWNER: trigger or job, whose key is OWNER_NAME and OWNER_GROUP; JOB_NAME and JOB_GROUP: the job, of a trigger its job.
-- SINCE_TIME: from when WITHIN_MS milliseconds count. DUE_TIME: when it is overdue. NOTIFIED: whether that lapse was told of.
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
-- One row for each occurrence, or part of one (SHARD; -1: it has none), of which a run has saved something and that has not ended.
-- OCCURRENCE_ID: the entry id of its first firing. SAVED_VALUE: JSON. RUN_ID: the run that saved it, or the last to end with it. UPDATED_TIME: when; what is left over is deleted by its age.
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
-- One row an action. ACTION_TIME: by the store's clock. VIA: the face, such as http. ADDRESS: where it came from; null: this machine.
-- SUBJECT: what it was done to. INPUT: JSON without secrets. CHANGES: what it changed, JSON without secrets; null: not known.
-- ERROR_MESSAGE: why it was not done; null: it was.
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
