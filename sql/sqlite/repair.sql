-- Puts back parts of the tables that are missing, as schema.sql declares them. Read when tables are migrated, not in the hot path.
-- The words in braces are names and definitions from schema.sql. A primary key cannot be added here.

-- name: createIndex
CREATE INDEX {index} ON {table} ({columns});

-- name: addColumn
ALTER TABLE {table} ADD COLUMN {definition};
