-- Queries about the tables of the file, and the record of migrations. Sent at start, and never while triggers fire.

-- name: selectColumns
SELECT m.name AS tableName,
       c.name AS columnName,
       c.type AS dataType
FROM sqlite_master AS m
JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table'
  AND substr(m.name, 1, length(:namePrefix)) = :namePrefix
ORDER BY m.name, c.cid;

-- name: selectIndexes
SELECT m.name AS tableName,
       CASE i.origin WHEN 'pk' THEN 'PRIMARY' ELSE i.name END AS indexName,
       c.name AS columnName
FROM sqlite_master AS m
JOIN pragma_index_list(m.name) AS i
JOIN pragma_index_info(i.name) AS c
WHERE m.type = 'table'
  AND substr(m.name, 1, length(:namePrefix)) = :namePrefix
ORDER BY m.name, i.name, c.seqno;

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
-- Index: the primary key.
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
-- Index: the primary key.
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
