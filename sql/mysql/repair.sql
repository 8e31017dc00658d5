-- Restores missing parts of the tables, as declared in schema.sql. Used only by migrations and `quartz doctor repair`.
-- The words in braces are names and definitions from schema.sql.

-- name: createIndex
CREATE INDEX {index} ON {table} ({columns});

-- name: addColumn
ALTER TABLE {table} ADD COLUMN {definition};

-- name: addPrimaryKey
ALTER TABLE {table} ADD PRIMARY KEY ({columns});

-- name: createPriorityIndex
-- Belongs to no migration and is not in schema.sql. It is created only if a node acquires triggers by priority, because it slows down every
-- change of a trigger.
CREATE INDEX IDX_QRTZ_X_T_P_NFT ON QRTZ_TRIGGERS (SCHED_NAME, TRIGGER_STATE, PRIORITY, NEXT_FIRE_TIME);
