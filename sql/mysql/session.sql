-- What every connection is told before it is used. Sent as text, without parameters; one statement per trip.

-- name: setReadCommitted
-- Under REPEATABLE READ a plain read shows the moment of the transaction's first read, which is before the lock was granted:
-- that once fired triggers again which another node had fired meanwhile. Also no gap locks, so fewer deadlocks.
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- name: setRepeatableRead
-- For connections that only read: the pages, the totals and the states of one answer belong together.
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;

-- name: setReadOnly
SET SESSION TRANSACTION READ ONLY;

-- name: setWriter
-- autocommit=0: a transaction begins with its first statement, which saves the trip of BEGIN.
-- innodb_lock_wait_timeout: limitRowWaits shortens it, except for the transactions of jobs on MySQL.
-- lock_wait_timeout: who waits until a backup or a change of a table lets it go on has open what that in turn waits for.
-- net_*_timeout: a client that stops in the middle of a packet holds its locks no longer than an idle one.
SET SESSION autocommit = 0,
    innodb_lock_wait_timeout = 10,
    lock_wait_timeout = 3,
    net_read_timeout = 3,
    net_write_timeout = 3,
    time_zone = '+00:00',
    sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

-- name: setCheckIn
-- As setWriter, but a check-in that waits longer than this is of no use any more.
SET SESSION autocommit = 0,
    innodb_lock_wait_timeout = 3,
    lock_wait_timeout = 3,
    net_read_timeout = 3,
    net_write_timeout = 3,
    time_zone = '+00:00',
    sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

-- name: setReader
-- Takes no locks, so it may wait and idle longer.
SET SESSION autocommit = 1,
    wait_timeout = 60,
    time_zone = '+00:00',
    sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

-- name: setMigrator
-- A definition that waits for a table in use makes everyone else wait behind it: rather give up and say so. The default is
-- a day.
SET SESSION autocommit = 1,
    lock_wait_timeout = 30,
    sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION';

-- name: limitIdleTransactions
-- MariaDB: a node that stops while it holds the cluster-wide lock is cut off; the default is never. As soon as can be: the next in
-- the queue may have stopped as well, and has as long again.
SET SESSION idle_transaction_timeout = 1,
    wait_timeout = 60,
    max_statement_time = 20;

-- name: allowLongPauses
-- MariaDB: who stores thousands of changes computes them between two statements, the cluster-wide lock held.
SET SESSION idle_transaction_timeout = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endLongPauses
-- As setWriter and limitIdleTransactions have it.
SET SESSION idle_transaction_timeout = 1,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: limitRowWaits
-- A transaction that waits for a row holds the cluster-wide lock while it waits. For that lock itself MariaDB waits as long as selectLock
-- gives; MySQL has one timeout for all rows, so a transaction that times out in that queue enters it again.
SET SESSION innodb_lock_wait_timeout = 1;

-- name: limitIdleConnections
-- MySQL has no limit for transactions: a connection that is silent for 2 s is closed, in a transaction or not.
-- Between transactions that is harmless: the next one connects again.
SET SESSION wait_timeout = 2;

-- name: allowLongIdling
-- MySQL: as allowLongPauses.
SET SESSION wait_timeout = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endLongIdling
-- As setWriter and limitIdleConnections have it.
SET SESSION wait_timeout = 2,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: selectSettings
-- What really holds: a proxy may have kept the statements above from the server. Names differ between servers; those that
-- are missing give no row.
SHOW SESSION VARIABLES
WHERE Variable_name IN ('version', 'version_comment', 'tx_isolation', 'transaction_isolation', 'autocommit',
                        'max_allowed_packet', 'wait_timeout', 'idle_transaction_timeout', 'innodb_lock_wait_timeout',
                        'sql_mode', 'wsrep_on', 'group_replication_group_name', 'group_replication_single_primary_mode');

-- name: selectClusterSize
-- The number of Galera nodes: a server may have joined a cluster since its last use.
SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_cluster_size';

-- name: selectProcesses
-- What the server does for each connection of this user: which of them it has nothing to answer to. Takes no lock, needs no privilege.
SHOW PROCESSLIST;

-- name: savepoint
-- In the transaction of somebody else: what is done after it is done whole or not at all.
SAVEPOINT quartz_ts;

-- name: release
RELEASE SAVEPOINT quartz_ts;

-- name: rollbackTo
-- It stays, so this right behind `savepoint` asks whether a transaction is open: without one the savepoint is gone at once, and this fails.
ROLLBACK TO SAVEPOINT quartz_ts;

-- name: selectCaller
-- What a connection that is not ours must have, and how much it takes at once.
SELECT @@character_set_client AS characterSet, @@max_allowed_packet AS maxPacketBytes;

-- name: beginJob
-- Gone when the transaction is: when the job, a definition or a deadlock has ended it.
SAVEPOINT quartz_ts_job;

-- name: endJob
RELEASE SAVEPOINT quartz_ts_job;

-- name: allowJobs
-- MariaDB: a job holds no lock of the cluster while it works, so its statements, and the pauses between them, may take longer.
SET SESSION idle_transaction_timeout = 60,
    innodb_lock_wait_timeout = 10,
    max_statement_time = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endJobs
-- As setWriter, limitIdleTransactions and limitRowWaits have it.
SET SESSION idle_transaction_timeout = 1,
    innodb_lock_wait_timeout = 1,
    max_statement_time = 20,
    net_read_timeout = 3,
    net_write_timeout = 3;
