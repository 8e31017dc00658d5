-- Puts back parts of the tables that are missing, as schema.sql declares them. Read when tables are migrated, not in the hot path.
-- The words in braces are names and definitions from schema.sql.

-- name: createIndex
CREATE INDEX {index} ON {table} ({columns});

-- name: addColumn
ALTER TABLE {table} ADD COLUMN {definition};

-- name: addPrimaryKey
ALTER TABLE {table} ADD PRIMARY KEY ({columns});

-- name: createPriorityIndex
-- Of no migration and not in schema.sql: made where a node fires in the order of priorities, so that others do not pay for it.
CREATE INDEX IDX_QRTZ_X_T_P_NFT ON QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_STATE, PRIORITY, NEXT_FIRE_TIME);
