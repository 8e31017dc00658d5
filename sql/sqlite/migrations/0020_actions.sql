-- What people did to the scheduler from outside its program: who, when, from where, and what came of it.
-- Every step can run again on tables that have it already.

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
