-- Statements that set up and check a connection before it is used, and that control its transactions.

-- name: setBusyTimeout
-- Sent first, so that the following statements and reading ones can wait for a locked file. The timeout is short, because SQLite blocks the whole
-- thread while it waits; the driver waits for the rest of the time.
PRAGMA busy_timeout = 20;

-- name: setWriteAheadLog
-- In WAL mode, readers and the writer do not wait for each other.
PRAGMA journal_mode = WAL;

-- name: setNoBusyTimeout
-- Sent to a writer last. BEGIN IMMEDIATE then fails at once if another process has locked the file, and the driver waits without blocking the thread.
-- In WAL mode, no later statement of the transaction meets a lock.
PRAGMA busy_timeout = 0;

-- name: setFullSync
-- In WAL mode, NORMAL may lose the last commits in a power failure. Their triggers would fire again.
PRAGMA synchronous = FULL;

-- name: setForeignKeys
PRAGMA foreign_keys = ON;

-- name: checkpoint
-- Sent before a connection that writes is closed, so that the file alone contains all data. PASSIVE waits for no other connection, and leaves
-- pages in the log that others still read.
PRAGMA wal_checkpoint(PASSIVE);

-- name: beginWrite
-- IMMEDIATE, because SQLite refuses the first write of a transaction that began by reading, if another connection has written in the meantime.
BEGIN IMMEDIATE;

-- name: beginRead
-- The transaction sees one snapshot, from its first read on.
BEGIN DEFERRED;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: savepoint
-- Begins one of several transactions that are committed together.
SAVEPOINT part;

-- name: release
RELEASE part;

-- name: rollbackTo
ROLLBACK TO part;

-- name: beginJob
-- Marks a job's transaction. The savepoint disappears when the job itself ends the transaction.
SAVEPOINT job;

-- name: endJob
RELEASE job;

-- name: selectJournalMode
-- Reads the actual journal mode. On a file system without shared memory, SQLite keeps another mode without an error.
PRAGMA journal_mode;

-- name: selectSynchronous
PRAGMA synchronous;

-- name: selectForeignKeys
PRAGMA foreign_keys;

-- name: selectFile
SELECT sqlite_version() AS version, s.page_size, c.page_count, f.freelist_count
FROM pragma_page_size AS s, pragma_page_count AS c, pragma_freelist_count AS f;

-- name: truncateLog
-- Sent outside of a transaction. busy: 1 if another connection reads the log.
PRAGMA wal_checkpoint(TRUNCATE);
