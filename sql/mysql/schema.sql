-- Tables for MySQL and MariaDB: those of Quartz 2.x with the same columns, so that Java nodes can share them, and additional ones (QRTZ_X_…).
-- Binary collation: keys that differ only in case, accents or trailing blanks are different keys, as in the memory store. utf8mb4_bin is
-- replaced by the server's binary collation that respects trailing blanks (sql/README.md).
-- Generated from migrations/ by scripts/write-schema.mjs. The comment above each table explains its indexes.

-- name: createJobDetails
-- Jobs.
CREATE TABLE IF NOT EXISTS QRTZ_JOB_DETAILS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  DESCRIPTION VARCHAR(250) NULL,
  JOB_CLASS_NAME VARCHAR(250) NOT NULL,
  IS_DURABLE VARCHAR(1) NOT NULL,
  IS_NONCONCURRENT VARCHAR(1) NOT NULL,
  IS_UPDATE_DATA VARCHAR(1) NOT NULL,
  REQUESTS_RECOVERY VARCHAR(1) NOT NULL,
  JOB_DATA BLOB NULL,
  PRIMARY KEY (SCHED_NAME, JOB_NAME, JOB_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createTriggers
-- Columns that triggers of all types have. NEXT_FIRE_TIME and PREV_FIRE_TIME: -1 for none. END_TIME: 0 for none.
-- T_J: triggers of a job. The foreign key needs it too.
-- T_NFT_ST: due triggers in firing order (the primary key, which ends every entry, adds the name). Its first entry is the earliest fire time,
-- which is read ten times a second.
-- T_G, T_C: triggers of a group and of a calendar. They are read under the cluster-wide lock, where a table scan would stall every node.
CREATE TABLE IF NOT EXISTS QRTZ_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  DESCRIPTION VARCHAR(250) NULL,
  NEXT_FIRE_TIME BIGINT NULL,
  PREV_FIRE_TIME BIGINT NULL,
  PRIORITY INTEGER NULL,
  TRIGGER_STATE VARCHAR(16) NOT NULL,
  TRIGGER_TYPE VARCHAR(8) NOT NULL,
  START_TIME BIGINT NOT NULL,
  END_TIME BIGINT NULL,
  CALENDAR_NAME VARCHAR(190) NULL,
  MISFIRE_INSTR SMALLINT NULL,
  JOB_DATA BLOB NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_T_J (SCHED_NAME, JOB_NAME, JOB_GROUP),
  KEY IDX_QRTZ_T_NFT_ST (SCHED_NAME, TRIGGER_STATE, NEXT_FIRE_TIME, PRIORITY DESC, TRIGGER_GROUP),
  KEY IDX_QRTZ_T_G (SCHED_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_T_C (SCHED_NAME, CALENDAR_NAME),
  FOREIGN KEY (SCHED_NAME, JOB_NAME, JOB_GROUP) REFERENCES QRTZ_JOB_DETAILS (SCHED_NAME, JOB_NAME, JOB_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createSimpleTriggers
-- Further columns of SIMPLE triggers.
CREATE TABLE IF NOT EXISTS QRTZ_SIMPLE_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  REPEAT_COUNT BIGINT NOT NULL,
  REPEAT_INTERVAL BIGINT NOT NULL,
  TIMES_TRIGGERED BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createCronTriggers
-- Further columns of CRON triggers.
CREATE TABLE IF NOT EXISTS QRTZ_CRON_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  CRON_EXPRESSION VARCHAR(120) NOT NULL,
  TIME_ZONE_ID VARCHAR(80) NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createSimpropTriggers
-- Further columns of CAL_INT, DAILY_I and AFTER triggers. src/store/sql/rows/trigger-kinds.ts defines the meaning of the columns.
CREATE TABLE IF NOT EXISTS QRTZ_SIMPROP_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  STR_PROP_1 VARCHAR(512) NULL,
  STR_PROP_2 VARCHAR(512) NULL,
  STR_PROP_3 VARCHAR(512) NULL,
  INT_PROP_1 INTEGER NULL,
  INT_PROP_2 INTEGER NULL,
  LONG_PROP_1 BIGINT NULL,
  LONG_PROP_2 BIGINT NULL,
  DEC_PROP_1 NUMERIC(13,4) NULL,
  DEC_PROP_2 NUMERIC(13,4) NULL,
  BOOL_PROP_1 VARCHAR(1) NULL,
  BOOL_PROP_2 VARCHAR(1) NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createBlobTriggers
-- Triggers of types that only Java supports. This library never writes to it, except to delete rows.
CREATE TABLE IF NOT EXISTS QRTZ_BLOB_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  BLOB_DATA BLOB NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  FOREIGN KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP) REFERENCES QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createCalendars
-- Calendars of excluded times, by name.
CREATE TABLE IF NOT EXISTS QRTZ_CALENDARS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  CALENDAR_NAME VARCHAR(190) NOT NULL,
  CALENDAR BLOB NOT NULL,
  PRIMARY KEY (SCHED_NAME, CALENDAR_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createPausedTriggerGroups
-- Paused groups. New triggers of these groups are paused.
CREATE TABLE IF NOT EXISTS QRTZ_PAUSED_TRIGGER_GRPS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createFiredTriggers
-- One row for every trigger that is acquired or executing. Only the node that owns the row may complete the firing.
-- FT_INST_JOB_REQ_RCVRY: firings of a node. FT_J_G: executing firings of a job. FT_T_G: firings of a trigger.
CREATE TABLE IF NOT EXISTS QRTZ_FIRED_TRIGGERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  INSTANCE_NAME VARCHAR(190) NOT NULL,
  FIRED_TIME BIGINT NOT NULL,
  SCHED_TIME BIGINT NOT NULL,
  PRIORITY INTEGER NOT NULL,
  STATE VARCHAR(16) NOT NULL,
  JOB_NAME VARCHAR(190) NULL,
  JOB_GROUP VARCHAR(190) NULL,
  IS_NONCONCURRENT VARCHAR(1) NULL,
  REQUESTS_RECOVERY VARCHAR(1) NULL,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID),
  KEY IDX_QRTZ_FT_INST_JOB_REQ_RCVRY (SCHED_NAME, INSTANCE_NAME, REQUESTS_RECOVERY),
  KEY IDX_QRTZ_FT_J_G (SCHED_NAME, JOB_NAME, JOB_GROUP),
  KEY IDX_QRTZ_FT_T_G (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createSchedulerState
-- Last check-in of every node.
CREATE TABLE IF NOT EXISTS QRTZ_SCHEDULER_STATE (
  SCHED_NAME VARCHAR(120) NOT NULL,
  INSTANCE_NAME VARCHAR(190) NOT NULL,
  LAST_CHECKIN_TIME BIGINT NOT NULL,
  CHECKIN_INTERVAL BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, INSTANCE_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createLocks
-- Rows whose locks serve as cluster-wide locks.
CREATE TABLE IF NOT EXISTS QRTZ_LOCKS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  LOCK_NAME VARCHAR(40) NOT NULL,
  PRIMARY KEY (SCHED_NAME, LOCK_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createNodes
-- Data of nodes that QRTZ_SCHEDULER_STATE has no column for. Java nodes do not use it: a node without a row here is a Java node.
-- EPOCH: incarnation of the node. SIGNAL_NUMBER: number of the last request in SIGNALS (JSON). SIGNAL_SEEN: last request that the node has handled.
-- JOB_TYPES: types that the node can run, as a JSON list; null if unknown.
-- PROCESS_SCOPE: machine, boot and namespaces in which PROCESS_ID is unique. PROCESS_START: distinguishes the process from later ones with the
-- same id. Both are null if the operating system does not provide them; the node is then considered dead only after its silence.
-- LABELS: labels of the node, as a JSON list; null for an older version.
-- LOAD_FIGURES: load of the node in the last 15 minutes, from its check-in, as a JSON list; null for an older version.
CREATE TABLE IF NOT EXISTS QRTZ_X_NODES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  INSTANCE_NAME VARCHAR(190) NOT NULL,
  EPOCH VARCHAR(40) NOT NULL,
  PROTOCOL INTEGER NOT NULL,
  VERSION VARCHAR(40) NOT NULL,
  TIME_ZONE_DATA VARCHAR(40) NULL,
  HOST VARCHAR(190) NOT NULL,
  PROCESS_ID INTEGER NOT NULL,
  STARTED_AT BIGINT NOT NULL,
  CHECKIN_GRACE BIGINT NOT NULL,
  CLOCK_OFFSET BIGINT NOT NULL,
  STATUS VARCHAR(16) NOT NULL,
  REFUSED_TRAIN BIGINT NOT NULL DEFAULT 0,
  SIGNAL_NUMBER BIGINT NOT NULL,
  SIGNAL_SEEN BIGINT NOT NULL,
  SIGNALS TEXT NULL,
  JOB_TYPES MEDIUMTEXT NULL,
  PROCESS_SCOPE VARCHAR(190) NULL,
  PROCESS_START BIGINT NULL,
  LABELS TEXT NULL,
  LOAD_FIGURES TEXT NULL,
  PRIMARY KEY (SCHED_NAME, INSTANCE_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createMeta
-- Data about the tables, such as applied migrations, and values that all nodes of a scheduler share. SCHED_NAME '': applies to all schedulers.
CREATE TABLE IF NOT EXISTS QRTZ_X_META (
  SCHED_NAME VARCHAR(120) NOT NULL,
  META_KEY VARCHAR(120) NOT NULL,
  META_VALUE VARCHAR(512) NOT NULL,
  PRIMARY KEY (SCHED_NAME, META_KEY)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createDeclared
-- Declarations of jobs, triggers and calendars, and their manual edits.
-- SUBJECT: job, trigger or calendar. SUBJECT_GROUP is empty for calendars. JOB_NAME, JOB_GROUP: job of the trigger, or the job itself.
-- DECLARED_SET: declared set; null for none. DEFINITION: schedule of a trigger that ends. A trigger that has ended stays ended while its declared
-- schedule equals this one. OWNER: origin of the declaration, in JSON. EDITS: manually edited and declared values, in JSON; null for none.
CREATE TABLE IF NOT EXISTS QRTZ_X_DECLARED (
  SCHED_NAME VARCHAR(120) NOT NULL,
  SUBJECT VARCHAR(8) NOT NULL,
  SUBJECT_NAME VARCHAR(190) NOT NULL,
  SUBJECT_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NULL,
  JOB_GROUP VARCHAR(190) NULL,
  DECLARED_SET VARCHAR(190) NULL,
  DEFINITION TEXT NULL,
  OWNER TEXT NOT NULL,
  IS_EDITED BOOLEAN NOT NULL,
  EDITS LONGTEXT NULL,
  PRIMARY KEY (SCHED_NAME, SUBJECT, SUBJECT_NAME, SUBJECT_GROUP),
  KEY IDX_QRTZ_X_D_J (SCHED_NAME, JOB_NAME, JOB_GROUP),
  KEY IDX_QRTZ_X_D_E (SCHED_NAME, IS_EDITED, SUBJECT, SUBJECT_GROUP, SUBJECT_NAME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createRuns
-- Recorded runs, clustered by end time: rows are appended, and the oldest are deleted first.
-- RUN_ID: ENTRY_ID of the run in QRTZ_FIRED_TRIGGERS. OCCURRENCE_ID: RUN_ID of the occurrence's first run. TRIGGER_NAME, TRIGGER_GROUP, SCHED_TIME:
-- those of the first firing, also for a retry or a recovery. DETAIL: JSON, see domain/run.ts.
-- X_R_J, X_R_T: runs of a job and of a trigger, by outcome, so that a few failures are found among many successes.
-- X_R_O: runs by outcome, dead letters, and the runs that retention deletes.
-- X_R_I: runs by id.
CREATE TABLE IF NOT EXISTS QRTZ_X_RUNS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ENDED_TIME BIGINT NOT NULL,
  RUN_ID VARCHAR(95) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  JOB_CLASS_NAME VARCHAR(250) NOT NULL,
  INSTANCE_NAME VARCHAR(190) NOT NULL,
  OCCURRENCE_ID VARCHAR(95) NOT NULL,
  SCHED_TIME BIGINT NOT NULL,
  FIRED_TIME BIGINT NOT NULL,
  ATTEMPT INTEGER NOT NULL,
  OUTCOME VARCHAR(16) NOT NULL,
  IS_DEAD_LETTER VARCHAR(1) NOT NULL,
  ERROR_MESSAGE VARCHAR(1000) NULL,
  DETAIL MEDIUMTEXT NULL,
  PRIMARY KEY (SCHED_NAME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_J (SCHED_NAME, JOB_NAME, JOB_GROUP, OUTCOME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_T (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, OUTCOME, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_O (SCHED_NAME, OUTCOME, IS_DEAD_LETTER, ENDED_TIME, RUN_ID),
  KEY IDX_QRTZ_X_R_I (SCHED_NAME, RUN_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createPauses
-- Pauses with a reason, author or end time. Other pauses have no row. TARGET: trigger, job, triggers or jobs. TARGET_GROUP and TARGET_NAME: key of
-- the trigger or job; for groups, the compared text and the operator. UNTIL_TIME: time at which the pause ends automatically; null for none.
-- PS_U: pauses with an end time. Every node reads it often, however many pauses have none.
-- HOLDS_RETRIES: 0 if waiting runs of earlier occurrences continue, otherwise 1.
CREATE TABLE IF NOT EXISTS QRTZ_X_PAUSES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TARGET VARCHAR(8) NOT NULL,
  TARGET_GROUP VARCHAR(190) NOT NULL,
  TARGET_NAME VARCHAR(190) NOT NULL,
  REASON VARCHAR(1000) NULL,
  PAUSED_BY VARCHAR(190) NULL,
  SINCE_TIME BIGINT NOT NULL,
  UNTIL_TIME BIGINT NULL,
  HOLDS_RETRIES VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TARGET, TARGET_GROUP, TARGET_NAME),
  KEY IDX_QRTZ_X_PS_U (SCHED_NAME, UNTIL_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createHeld
-- Holders of limit keys. ENTRY_ID: id of a fired trigger, or of an occurrence with parts. A row counts while that trigger or occurrence is
-- stored: the recovery of a dead node frees the keys of its firings, and an occurrence holds its key until its last part has ended.
CREATE TABLE IF NOT EXISTS QRTZ_X_HELD (
  SCHED_NAME VARCHAR(120) NOT NULL,
  LIMIT_KEY VARCHAR(190) NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  PRIMARY KEY (SCHED_NAME, LIMIT_KEY, ENTRY_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createWaiters
-- Triggers that are BLOCKED because the limit of their key is reached. The one that was due first continues first. MAX_RUNNING: that limit.
CREATE TABLE IF NOT EXISTS QRTZ_X_WAITERS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  LIMIT_KEY VARCHAR(190) NOT NULL,
  MAX_RUNNING INTEGER NOT NULL,
  NEXT_FIRE_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_X_W_K (SCHED_NAME, LIMIT_KEY, NEXT_FIRE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createProgress
-- Progress and log lines of runs, written by the run's node at most once a second. A row counts while its fired trigger exists.
-- LOG_LINES: JSON, see domain/progress.ts. UPDATED_TIME: time of the last progress report, by the clock of the node.
-- INTERRUPTED_TIME, INTERRUPTED_BY: the first request to interrupt the run.
CREATE TABLE IF NOT EXISTS QRTZ_X_PROGRESS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  FRACTION DOUBLE NULL,
  MESSAGE VARCHAR(1000) NULL,
  LOG_LINES MEDIUMTEXT NULL,
  UPDATED_TIME BIGINT NULL,
  INTERRUPTED_TIME BIGINT NULL,
  INTERRUPTED_BY VARCHAR(190) NULL,
  PRIMARY KEY (SCHED_NAME, ENTRY_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createMisfired
-- Triggers whose fire time a misfire has moved. FIRST_DUE_TIME: time at which the trigger was first due. A row counts while its NEXT_FIRE_TIME equals
-- the trigger's: whatever moves the trigger to another fire time, also on a Java node, ends its wait. PRIORITY: that of the trigger, 5 if it has none.
-- MI_P: triggers of one priority that have waited longest. It contains NEXT_FIRE_TIME, so that triggers that are not due are skipped in the index.
CREATE TABLE IF NOT EXISTS QRTZ_X_MISFIRED (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  PRIORITY INTEGER NOT NULL,
  NEXT_FIRE_TIME BIGINT NOT NULL,
  FIRST_DUE_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_X_MI_P (SCHED_NAME, PRIORITY, FIRST_DUE_TIME, NEXT_FIRE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createPlaces
-- Triggers that need or prefer certain nodes. RUNS_ON, PREFERS: JSON lists of labels; a node must have all of them. FALLBACK_AFTER: lateness in
-- milliseconds after which nodes without the preferred labels may fire the trigger.
CREATE TABLE IF NOT EXISTS QRTZ_X_PLACES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  RUNS_ON TEXT NOT NULL,
  PREFERS TEXT NOT NULL,
  FALLBACK_AFTER BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createRates
-- States of rate keys. STATE: start times of firings, and assigned turns, in JSON. From IDLE_TIME on (epoch milliseconds), the state has no effect
-- and may be deleted (X_RA_N).
CREATE TABLE IF NOT EXISTS QRTZ_X_RATES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  RATE_KEY VARCHAR(190) NOT NULL,
  STATE TEXT NOT NULL,
  IDLE_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, RATE_KEY),
  KEY IDX_QRTZ_X_RA_N (SCHED_NAME, IDLE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createPutOff
-- Triggers of firings that wait for their turn under a rate key, in the order in which they were due (X_PO_K). ENTRY_ID: the deferred firing; its
-- completion stores the trigger.
CREATE TABLE IF NOT EXISTS QRTZ_X_PUT_OFF (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  RATE_KEY VARCHAR(190) NOT NULL,
  DUE_TIME BIGINT NOT NULL,
  ENTRY_ID VARCHAR(95) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP),
  KEY IDX_QRTZ_X_PO_K (SCHED_NAME, RATE_KEY, DUE_TIME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createParents
-- Jobs that triggers of the type AFTER wait for, numbered per trigger. X_P_J: triggers that wait for a job. The conditions are in
-- QRTZ_SIMPROP_TRIGGERS.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARENTS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  PARENT_NUMBER INTEGER NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP, PARENT_NUMBER),
  KEY IDX_QRTZ_X_P_J (SCHED_NAME, JOB_NAME, JOB_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createParts
-- Occurrences that run in parts, from the end of the first firing (OCCURRENCE_ID: its entry id) until the last part has ended. REMAINING: parts
-- that have not ended, including their retries. FAILED: parts that have failed.
-- IS_BROADCAST: each part runs on its own node.
CREATE TABLE IF NOT EXISTS QRTZ_X_PARTS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  OCCURRENCE_ID VARCHAR(95) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  SCHED_TIME BIGINT NOT NULL,
  STARTED_TIME BIGINT NOT NULL,
  PARTS INTEGER NOT NULL,
  REMAINING INTEGER NOT NULL,
  FAILED INTEGER NOT NULL,
  IS_BROADCAST VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createExpectations
-- Jobs and triggers with mustSucceedWithin. OWNER: trigger or job. OWNER_NAME, OWNER_GROUP: its key. JOB_NAME, JOB_GROUP: job of the trigger, or
-- the job itself. SINCE_TIME: time from which WITHIN_MS milliseconds count. DUE_TIME: time at which it becomes overdue. NOTIFIED: whether this has
-- been reported.
CREATE TABLE IF NOT EXISTS QRTZ_X_EXPECTATIONS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  OWNER_NAME VARCHAR(190) NOT NULL,
  OWNER_GROUP VARCHAR(190) NOT NULL,
  OWNER VARCHAR(8) NOT NULL,
  JOB_NAME VARCHAR(190) NOT NULL,
  JOB_GROUP VARCHAR(190) NOT NULL,
  WITHIN_MS BIGINT NOT NULL,
  SINCE_TIME BIGINT NOT NULL,
  DUE_TIME BIGINT NOT NULL,
  LAST_SUCCESS BIGINT NULL,
  NOTIFIED VARCHAR(1) NOT NULL,
  PRIMARY KEY (SCHED_NAME, OWNER_NAME, OWNER_GROUP, OWNER),
  KEY IDX_QRTZ_X_E_D (SCHED_NAME, NOTIFIED, DUE_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createCheckpoints
-- Checkpoints of occurrences, or of their parts (SHARD; -1: no parts), until the occurrence ends. OCCURRENCE_ID: entry id of its first firing.
-- SAVED_VALUE: JSON. RUN_ID: run that saved the checkpoint, or the last run that ended with it. UPDATED_TIME: time of that. Checkpoints that no
-- run needs are deleted by age.
CREATE TABLE IF NOT EXISTS QRTZ_X_CHECKPOINTS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  OCCURRENCE_ID VARCHAR(95) NOT NULL,
  SHARD INTEGER NOT NULL,
  SAVED_VALUE MEDIUMTEXT NOT NULL,
  RUN_ID VARCHAR(95) NOT NULL,
  UPDATED_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, OCCURRENCE_ID, SHARD),
  KEY IDX_QRTZ_X_C_U (SCHED_NAME, UPDATED_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createActions
-- Log of actions. ACTION_TIME: by the store's clock. VIA: interface, such as http. ADDRESS: network address; null: this machine. SUBJECT: target of
-- the action. INPUT: JSON without secrets. CHANGES: changed values, JSON without secrets; null if unknown. ERROR_MESSAGE: reason of a failure; null
-- if the action succeeded.
CREATE TABLE IF NOT EXISTS QRTZ_X_ACTIONS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  ACTION_TIME BIGINT NOT NULL,
  ACTION_ID VARCHAR(40) NOT NULL,
  ACTOR_NAME VARCHAR(190) NOT NULL,
  ACTOR_ROLE VARCHAR(20) NOT NULL,
  VIA VARCHAR(20) NOT NULL,
  ADDRESS VARCHAR(100) NULL,
  OPERATION VARCHAR(80) NOT NULL,
  SUBJECT VARCHAR(400) NOT NULL,
  INPUT MEDIUMTEXT NOT NULL,
  CHANGES MEDIUMTEXT NULL,
  ERROR_MESSAGE VARCHAR(1000) NULL,
  PRIMARY KEY (SCHED_NAME, ACTION_TIME, ACTION_ID),
  KEY IDX_QRTZ_X_A_N (SCHED_NAME, ACTOR_NAME, ACTION_TIME, ACTION_ID),
  KEY IDX_QRTZ_X_A_O (SCHED_NAME, OPERATION, ACTION_TIME, ACTION_ID)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: createSessions
-- Login sessions of consoles. SESSION_HASH: SHA-256 of the id in the cookie. USER_KIND: user or token. CREDENTIAL_HASH: SHA-256 of the configured
-- hash with which the session began: another password or token ends it.
CREATE TABLE IF NOT EXISTS QRTZ_X_SESSIONS (
  SCHED_NAME VARCHAR(120) NOT NULL,
  SESSION_HASH VARCHAR(43) NOT NULL,
  USER_KIND VARCHAR(5) NOT NULL,
  USER_NAME VARCHAR(190) NOT NULL,
  CREDENTIAL_HASH VARCHAR(43) NOT NULL,
  END_TIME BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, SESSION_HASH),
  KEY IDX_QRTZ_X_SE_E (SCHED_NAME, END_TIME)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
