-- What people did to the scheduler from outside its program: who, when, from where, and what came of it.
-- Every step can run again on tables that have it already.

-- name: createActions
-- One row an action. ACTION_TIME: by the store's clock. VIA: the face, such as http. ADDRESS: where it came from; null: this machine.
-- SUBJECT: what it was done to. INPUT: JSON without secrets. CHANGES: what it changed, JSON without secrets; null: not known.
-- ERROR_MESSAGE: why it was not done; null: it was.
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
