-- Queries about the tables, and the record of migrations. Sent at start, and never while triggers fire.

-- name: selectColumns
-- namePrefix: the tables' prefix without its schema. Compared without case, to find tables that a server with lower_case_table_names = 1 has exported. schemaName: null for the connection's own schema.
SELECT c.TABLE_NAME AS tableName,
       c.COLUMN_NAME AS columnName,
       c.DATA_TYPE AS dataType,
       c.CHARACTER_MAXIMUM_LENGTH AS textLength,
       c.CHARACTER_SET_NAME AS characterSet,
       c.COLLATION_NAME AS collation,
       t.ENGINE AS engine
FROM information_schema.COLUMNS AS c
JOIN information_schema.TABLES AS t
  ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
WHERE c.TABLE_SCHEMA = COALESCE(:schemaName, DATABASE())
  AND LOWER(LEFT(c.TABLE_NAME, CHAR_LENGTH(:namePrefix))) = LOWER(:namePrefix)
ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION;

-- name: selectIndexes
SELECT s.TABLE_NAME AS tableName,
       s.INDEX_NAME AS indexName,
       s.COLUMN_NAME AS columnName
FROM information_schema.STATISTICS AS s
WHERE s.TABLE_SCHEMA = COALESCE(:schemaName, DATABASE())
  AND LOWER(LEFT(s.TABLE_NAME, CHAR_LENGTH(:namePrefix))) = LOWER(:namePrefix)
ORDER BY s.TABLE_NAME, s.INDEX_NAME, s.SEQ_IN_INDEX;

-- name: selectForeignKeys
-- Selects one row for each column of each foreign key, in order.
SELECT k.TABLE_NAME AS tableName,
       k.CONSTRAINT_NAME AS constraintName,
       k.COLUMN_NAME AS columnName,
       k.REFERENCED_TABLE_NAME AS referencedTable,
       k.REFERENCED_COLUMN_NAME AS referencedColumn,
       r.UPDATE_RULE AS updateRule,
       r.DELETE_RULE AS deleteRule
FROM information_schema.KEY_COLUMN_USAGE AS k
JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r
  ON r.CONSTRAINT_SCHEMA = k.TABLE_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
WHERE k.TABLE_SCHEMA = COALESCE(:schemaName, DATABASE())
  AND LOWER(LEFT(k.TABLE_NAME, CHAR_LENGTH(:namePrefix))) = LOWER(:namePrefix)
  AND k.REFERENCED_TABLE_NAME IS NOT NULL
ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION;

-- name: selectExactCollation
-- Selects the binary collation that respects trailing blanks. MariaDB and MySQL name it differently.
SELECT c.COLLATION_NAME AS collation
FROM information_schema.COLLATIONS AS c
WHERE c.COLLATION_NAME IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
ORDER BY c.COLLATION_NAME
LIMIT 1;

-- name: selectTableNameCase
SELECT @@lower_case_table_names AS lowerCaseTableNames;

-- name: selectMigrationLock
-- Takes the lock of migrations. It belongs to the connection, so a node that dies while it migrates leaves no lock behind. Such a lock applies
-- to the whole server, so its name contains the database. The name is hashed, because it can have at most 64 characters. MySQL 9 has no SHA1.
SELECT GET_LOCK(CONCAT('quartz-ts ', LEFT(SHA2(CONCAT(DATABASE(), :lockName), 256), 40)), 60) AS granted;

-- name: selectMigrationUnlock
SELECT RELEASE_LOCK(CONCAT('quartz-ts ', LEFT(SHA2(CONCAT(DATABASE(), :lockName), 256), 40))) AS released;

-- name: selectSchedulerNames
-- Selects the names under which schedulers have stored rows. Every scheduler that has been created has its locks; Java may have only jobs.
-- Index: PRIMARY of each table.
SELECT l.SCHED_NAME AS name FROM QRTZ_LOCKS AS l
UNION
SELECT j.SCHED_NAME AS name FROM QRTZ_JOB_DETAILS AS j
UNION
SELECT s.SCHED_NAME AS name FROM QRTZ_SCHEDULER_STATE AS s
ORDER BY name;

-- name: selectMigrations
-- Index: PRIMARY.
SELECT META_KEY AS name,
       META_VALUE AS recorded
FROM QRTZ_X_META
WHERE SCHED_NAME = ''
  AND META_KEY LIKE 'migration.%';

-- name: insertMigration
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES ('', :name, :recorded);

-- name: selectCreation
-- The row exists from before the first migration is recorded until the tables are complete.
-- Index: PRIMARY.
SELECT META_VALUE AS state
FROM QRTZ_X_META
WHERE SCHED_NAME = ''
  AND META_KEY = 'creation';

-- name: insertCreation
INSERT INTO QRTZ_X_META (SCHED_NAME, META_KEY, META_VALUE)
VALUES ('', 'creation', 'begun');

-- name: deleteCreation
DELETE FROM QRTZ_X_META
WHERE SCHED_NAME = ''
  AND META_KEY = 'creation';

-- name: selectServerSettings
-- Selects the settings that decide whether acknowledged commits survive a crash, and whether a row lock excludes all other writers. The rest
-- helps to diagnose faults.
SHOW GLOBAL VARIABLES
WHERE Variable_name IN ('version', 'version_comment', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog',
                        'binlog_format', 'read_only', 'max_connections', 'wsrep_on', 'group_replication_group_name',
                        'group_replication_single_primary_mode', 'wait_timeout', 'innodb_lock_wait_timeout', 'sql_mode',
                        'tx_isolation', 'transaction_isolation');

-- name: selectServerStatus
SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_size', 'Threads_connected', 'Max_used_connections');
