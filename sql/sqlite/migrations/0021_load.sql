-- What each node does, for the others to see.
-- Every step can run again on tables that have it already.

-- name: addLoadFigures
-- unless column: LOAD_FIGURES on QRTZ_X_NODES
-- LOAD_FIGURES: what the node did in the last 15 minutes, as its check-in said it, a list in JSON; null: an older version.
ALTER TABLE QRTZ_X_NODES ADD COLUMN LOAD_FIGURES TEXT;
