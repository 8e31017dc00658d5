-- Where triggers may be fired, by the labels of nodes.
-- Every step can run again on tables that have it already.

-- name: createPlaces
-- Only of triggers that not every node may fire. RUNS_ON, PREFERS: lists of labels in JSON, of which all are needed. PATIENCE: by how many
-- milliseconds a trigger must be late for nodes without the preferred ones.
CREATE TABLE IF NOT EXISTS QRTZ_X_PLACES (
  SCHED_NAME VARCHAR(120) NOT NULL,
  TRIGGER_NAME VARCHAR(190) NOT NULL,
  TRIGGER_GROUP VARCHAR(190) NOT NULL,
  RUNS_ON TEXT NOT NULL,
  PREFERS TEXT NOT NULL,
  PATIENCE BIGINT NOT NULL,
  PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: addLabels
-- unless column: LABELS on QRTZ_X_NODES
-- LABELS: those of the node, as a list in JSON; null: an older version.
ALTER TABLE QRTZ_X_NODES ADD COLUMN LABELS TEXT NULL;
