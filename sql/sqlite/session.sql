-- What every connection is told before it is used.

-- name: setBusyTimeout
-- First, so that the others may wait. Short: SQLite waits without letting anything else run; the driver waits on instead.
PRAGMA busy_timeout = 20;

-- name: setWriteAheadLog
-- Readers do not wait for the writer, nor the writer for readers.
PRAGMA journal_mode = WAL;

-- name: setFullSync
-- In WAL mode NORMAL may lose the last commits when the power fails: a firing would be forgotten, and happen again.
PRAGMA synchronous = FULL;

-- name: setForeignKeys
PRAGMA foreign_keys = ON;

-- name: checkpoint
-- Before a connection that writes is closed: the file alone then holds all. PASSIVE waits for nobody, and leaves what others still read.
PRAGMA wal_checkpoint(PASSIVE);

-- name: beginWrite
-- IMMEDIATE: a transaction that begins by reading and then wants to write is refused at once if another wrote meanwhile.
BEGIN IMMEDIATE;

-- name: beginRead
-- Sees one moment from its first read on.
BEGIN DEFERRED;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: savepoint
-- One transaction of several that are committed together.
SAVEPOINT part;

-- name: release
RELEASE part;

-- name: rollbackTo
ROLLBACK TO part;

-- name: beginJob
-- Gone when the transaction is: when the job has ended it.
SAVEPOINT job;

-- name: endJob
RELEASE job;

-- name: selectJournalMode
-- What really holds: on a file system without shared memory SQLite stays with another one, and says so nowhere else.
PRAGMA journal_mode;

-- name: selectSynchronous
PRAGMA synchronous;

-- name: selectForeignKeys
PRAGMA foreign_keys;

-- name: selectFile
SELECT sqlite_version() AS version, s.page_size, c.page_count, f.freelist_count
FROM pragma_page_size AS s, pragma_page_count AS c, pragma_freelist_count AS f;

-- name: truncateLog
-- Outside of a transaction. busy: 1 where another connection reads the log.
PRAGMA wal_checkpoint(TRUNCATE);
