-- Statements that set up and check a connection. Sent as text, without parameters, one statement per round trip, except for nameBell, ring,
-- compound statements and the parts of scripts. {name} stands for a text that the library inserts.

-- name: selectReadOnly
-- Selects whether the server refuses writes, to choose among several hosts. A server that is about to become one refuses the users of `super`, too.
SELECT @@GLOBAL.read_only AS isReadOnly;

-- name: setAnswers
-- First on every connection: variables that decide what an answer contains, whether a statement is refused, or what a commit does. An administrator
-- may have set any of them for all sessions, in init_connect or with skip-character-set-client-handshake. `EXPECTED` in check-settings.ts checks them.
SET SESSION character_set_client = utf8mb4,
    character_set_results = utf8mb4,
    character_set_connection = utf8mb4,
    completion_type = 0,
    div_precision_increment = 4,
    foreign_key_checks = 1,
    group_concat_max_len = 1073741824,
    lock_wait_timeout = 30,
    sql_auto_is_null = 0,
    sql_big_selects = 1,
    sql_buffer_result = 0,
    sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
    sql_safe_updates = 0,
    sql_select_limit = 18446744073709551615,
    time_zone = '+00:00',
    unique_checks = 1
    /*!80000 , max_execution_time = 0 */
    /*M!100100 , check_constraint_checks = 1, idle_readonly_transaction_timeout = 0, idle_write_transaction_timeout = 0, max_statement_time = 0 */;

-- name: setReadCommitted
-- Under REPEATABLE READ, a plain read returns the snapshot of the transaction's first read, which is older than the lock. Triggers that another
-- node had fired in between would fire again. READ COMMITTED also takes no gap locks, so there are fewer deadlocks.
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE;

-- name: setRepeatableRead
-- For connections that only read: all queries of one answer see the same snapshot.
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE;

-- name: setReadOnly
SET SESSION TRANSACTION READ ONLY;

-- name: setWriter
-- autocommit=0: a transaction begins with its first statement, which saves the round trip of BEGIN.
-- innodb_lock_wait_timeout: limitRowWaits shortens it, except for the transactions of jobs on MySQL.
-- lock_wait_timeout: a transaction that waits for a backup or a change of a table keeps its own locks, for which these may wait in turn.
-- net_*_timeout: a client that stops in the middle of a packet keeps its locks no longer than an idle one.
SET SESSION autocommit = 0,
    innodb_lock_wait_timeout = 10,
    lock_wait_timeout = 3,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: setCheckIn
-- Like setWriter, with a shorter timeout, because a check-in that waits longer is useless.
SET SESSION autocommit = 0,
    innodb_lock_wait_timeout = 3,
    lock_wait_timeout = 3,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: setReader
-- A reader takes no locks, so it may wait and be idle for longer.
SET SESSION autocommit = 1,
    wait_timeout = 600;

-- name: setMigrator
-- A change of a table that waits for running transactions blocks all later statements on the table. It therefore fails soon (`lock_wait_timeout` of
-- setAnswers), and not after the default of a day.
SET SESSION autocommit = 1,
    wait_timeout = 600;

-- name: limitIdleTransactions
-- MariaDB: disconnects a node that stops while it holds the cluster-wide lock; by default, it would keep the lock. The timeout is as short as
-- possible, because the next node in the queue may have stopped as well, and the timeout applies again. Between transactions a connection holds
-- nothing, and opening it again would delay the first call after a minute of silence.
SET SESSION idle_transaction_timeout = 1,
    wait_timeout = 600,
    max_statement_time = 20;

-- name: allowLongPauses
-- MariaDB: a transaction that stores thousands of changes computes them between two statements, while it holds the cluster-wide lock.
SET SESSION idle_transaction_timeout = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endLongPauses
-- Restores the values of setWriter and limitIdleTransactions.
SET SESSION idle_transaction_timeout = 1,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: limitRowWaits
-- A transaction holds the cluster-wide lock while it waits for another row, so the wait is short. For the cluster-wide lock itself, selectLock
-- sets a longer timeout on MariaDB. MySQL has one timeout for all rows, so a transaction that times out in that queue enters it again.
SET SESSION innodb_lock_wait_timeout = 1;

-- name: limitIdleConnections
-- MySQL has no timeout for idle transactions, so the server drops every connection after 2 s without a statement, and with it the locks of a node that
-- hangs. Between transactions the node closes the connection earlier, so that the server does not count it as aborted; the next transaction connects again.
SET SESSION wait_timeout = 2;

-- name: allowLongIdling
-- MySQL: like allowLongPauses.
SET SESSION wait_timeout = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endLongIdling
-- Restores the values of setWriter and limitIdleConnections.
SET SESSION wait_timeout = 2,
    net_read_timeout = 3,
    net_write_timeout = 3;

-- name: selectSettings
-- Reads the actual settings, because a proxy may not have passed the statements above on to the server. Names differ between servers; a missing
-- one returns no row.
SHOW SESSION VARIABLES
WHERE Variable_name IN ('version', 'version_comment', 'tx_isolation', 'transaction_isolation', 'autocommit',
                        'max_allowed_packet', 'wait_timeout', 'idle_transaction_timeout', 'innodb_lock_wait_timeout',
                        'sql_mode', 'wsrep_on', 'group_replication_group_name', 'group_replication_single_primary_mode',
                        'character_set_client', 'character_set_results', 'character_set_connection', 'completion_type',
                        'div_precision_increment', 'foreign_key_checks', 'group_concat_max_len', 'sql_auto_is_null',
                        'sql_big_selects', 'sql_buffer_result', 'sql_safe_updates', 'sql_select_limit', 'time_zone',
                        'unique_checks', 'max_execution_time', 'check_constraint_checks', 'tx_read_only',
                        'transaction_read_only', 'server_uuid', 'server_id', 'hostname', 'port');

-- name: selectClusterSize
-- Selects the number of Galera nodes. A server may have joined a cluster since the last connection.
SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_cluster_size';

-- name: selectProcesses
-- Selects what the server is doing for each connection of this user, and thus which connections expect no answer. Takes no lock, and needs no
-- privilege.
SHOW PROCESSLIST;

-- name: setBell
-- A node waits for rings longer than a statement may usually take. MariaDB ends statements after max_statement_time. The connection with the lock that
-- holdBell takes sends no statements.
SET SESSION autocommit = 1,
    wait_timeout = 2147483;

-- name: nameBell
-- Prepared, so that it is sent together with the next ring. MySQL accepts no parameter in KILL.
SET @bell = :bell;

-- name: hangBell
-- The lock with the node's name shows other connections which one to ring. The connection holds it until it ends.
DO RELEASE_ALL_LOCKS(), GET_LOCK(@bell, 0);

-- name: holdBell
-- On another connection of the node: takes the lock for which the node waits. It is never released.
DO RELEASE_ALL_LOCKS(), GET_LOCK(CONCAT(@bell, ' wait'), 0);

-- name: awaitRing
-- Waits for a lock instead of in SLEEP: on MariaDB, two rings at the same time to a connection that sleeps can take two seconds, because all sleeping
-- connections share a mutex. Returns 1 if the connection that held the lock is gone.
SELECT GET_LOCK(CONCAT(@bell, ' wait'), 10) AS IS_FREE;

-- name: awaitRingOrChange
-- MariaDB: waits like awaitRing, and reads once a second. Ends when a row of {changes}, the statement selectChanges, differs from the row that the
-- node has read; {isSeen} compares them.
BEGIN NOT ATOMIC
  polling: FOR seconds IN 1 .. 10 DO
    IF GET_LOCK(CONCAT(@bell, ' wait'), 1) THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{lost}'; END IF;
    SELECT COUNT(*) INTO @quartz_ts FROM ({changes}) AS c WHERE {isSeen};
    IF @quartz_ts = 0 THEN LEAVE polling; END IF;
  END FOR;
END;

-- name: testBell
SELECT GET_LOCK(CONCAT(@bell, ' wait'), 1) AS IS_FREE;

-- name: ring
-- Ends the wait of the connection that holds the lock, and nothing else. Fails if the lock is free. Needs no privilege for connections of the
-- same user.
KILL QUERY IS_USED_LOCK(@bell);

-- name: script
-- MariaDB: the steps of a transaction as one statement. An error ends it, so the commit is reached only after every step was as expected.
BEGIN NOT ATOMIC
{steps}
COMMIT;
END;

-- name: requireRows
-- MariaDB: follows a step of a script that must have found or changed this number of rows.
IF ROW_COUNT() <> :rows THEN SIGNAL SQLSTATE '45000'; END IF;

-- name: queryStep
-- A query as a step of a script. Its rows are counted and not returned.
{query} INTO @quartz_ts;

-- name: lockingStep
-- MariaDB: a step of a script with the timeout of `FOR UPDATE WAIT`, which a compound statement does not accept.
SET STATEMENT innodb_lock_wait_timeout = {seconds} FOR {query};

-- name: ringStep
-- MariaDB: {nameBell} and {ring} as a step of a script. If the node to ring to has left, the ring fails, and the script continues.
BEGIN
  DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
  {nameBell};
  {ring};
END;

-- name: keepText
-- MySQL: precedes prepareStep. Prepared, so that it is sent together with the script.
SET @quartz_ts = :text;

-- name: prepareStep
-- MySQL: prepares a step of a script, which is then run by its name.
PREPARE {name} FROM @quartz_ts;

-- name: assignValues
-- MySQL: binds the values of a script to variables. Prepared, so that it is sent together with the script.
SET {assignments};

-- name: executeStep
EXECUTE {name};

-- name: executeStepUsing
EXECUTE {name} USING {variables};

-- name: commitSteps
-- MySQL: the last part of a script's text.
COMMIT;

-- name: requireRowsOfStep
-- MySQL: follows a step of a script that must have found or changed this number of rows. Fails otherwise, because a subquery as a value has at most one row.
SET @quartz_ts = IF(ROW_COUNT() = {rows}, NULL, (SELECT 1 UNION ALL SELECT 2));

-- name: savepoint
-- Sent in a caller's transaction, so that the following changes can be undone together.
SAVEPOINT quartz_ts;

-- name: release
RELEASE SAVEPOINT quartz_ts;

-- name: rollbackTo
-- The savepoint remains afterwards. Sent directly after `savepoint`, this statement tests whether a transaction is open: outside of one, the
-- savepoint disappears at once, and this statement fails.
ROLLBACK TO SAVEPOINT quartz_ts;

-- name: beginProof
-- First in a transaction, with several writers. A server of Galera undoes a transaction when one of another server conflicts with it, and does not
-- always say so: the statements after that, without the lock, would be committed as a transaction of their own.
SAVEPOINT quartz_ts_proof;

-- name: endProof
-- Before the COMMIT. Fails if the transaction is not the one that began.
RELEASE SAVEPOINT quartz_ts_proof;

-- name: selectCaller
-- Reads the character set that a caller's connection must have, and the maximum size of its packets.
SELECT @@character_set_client AS characterSet, @@max_allowed_packet AS maxPacketBytes;

-- name: beginJob
-- Marks a job's transaction. The savepoint disappears with the transaction, if the job, a change of a table or a deadlock ends it.
SAVEPOINT quartz_ts_job;

-- name: endJob
RELEASE SAVEPOINT quartz_ts_job;

-- name: allowJobs
-- MariaDB: a job does not hold the cluster-wide lock while it works, so its statements and the pauses between them may take longer.
SET SESSION idle_transaction_timeout = 60,
    innodb_lock_wait_timeout = 10,
    max_statement_time = 60,
    net_read_timeout = 60,
    net_write_timeout = 60;

-- name: endJobs
-- Restores the values of setWriter, limitIdleTransactions and limitRowWaits.
SET SESSION idle_transaction_timeout = 1,
    innodb_lock_wait_timeout = 1,
    max_statement_time = 20,
    net_read_timeout = 3,
    net_write_timeout = 3;
