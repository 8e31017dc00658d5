-- Which process a node is, so that another one of the same machine notices its end at once.
-- Every step can run again on tables that have it already.

-- name: addProcessScope
-- unless column: PROCESS_SCOPE on QRTZ_X_NODES
-- PROCESS_SCOPE: where PROCESS_ID means this one process (machine, boot, namespaces); PROCESS_START tells it from later ones of that
-- id. Null where a system does not tell: then only silence shows that the node is dead.
ALTER TABLE QRTZ_X_NODES ADD COLUMN PROCESS_SCOPE VARCHAR(190) NULL;

-- name: addProcessStart
-- unless column: PROCESS_START on QRTZ_X_NODES
ALTER TABLE QRTZ_X_NODES ADD COLUMN PROCESS_START BIGINT NULL;
