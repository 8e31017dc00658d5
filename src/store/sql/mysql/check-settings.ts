import type { DatabaseOptions, Settings } from '../engine/engine';
import { type ConnectionRole, type IsolationLevel, SqlError, type Writers } from '../runtime/sql-driver';
import type { ServerFindings } from '../schema/schema-connection';

/** The two supported servers with the MySQL protocol. Their features differ. */
export type MysqlFlavour = 'mysql' | 'mariadb';

/** Minimum supported versions. These versions support JSON_TABLE and are tested. */
const OLDEST = {
  mysql: { name: 'MySQL', oldest: [8, 0, 19] },
  mariadb: { name: 'MariaDB', oldest: [10, 11, 0] },
} as const;

/** Number of connections per node below which the warning is given: three that write and three that read. */
const CONNECTIONS_OF_A_NODE = 6;

export function checkServer(facts: Settings, writers: Writers = 'one'): ServerFindings {
  const problems = Object.values(serverProblems(facts)).filter((text) => text !== null);
  const warning = writers === 'one' ? writersWarning(facts) : null;
  return { problems, warnings: [...warningsOf(facts), ...(warning === null ? [] : [warning])] };
}

/** Detects the server from its version text. Even behind most proxies, the version text of MariaDB contains its name. */
export function flavourOf(settings: Settings): MysqlFlavour {
  const version = `${settings.get('version')} ${settings.get('version_comment')}`;
  return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
}

export const isOn = (facts: Settings, name: string) => /^(on|1)$/i.test(facts.get(name) ?? '');

/** Reasons why the server cannot be used; null for each check that passed. */
export function serverProblems(facts: Settings) {
  return {
    serverVersion: versionProblem(facts),
    binlogFormat: binlogProblem(facts),
  };
}

export function oldestVersion(facts: Settings): string {
  const { name, oldest } = OLDEST[flavourOf(facts)];
  return `${name} ${oldest.join('.')}`;
}

function versionProblem(facts: Settings): string | null {
  const version = facts.get('version') ?? '';
  const { name, oldest } = OLDEST[flavourOf(facts)];
  return isOlder(version, oldest) ? `${name} ${version} is too old. Use ${oldestVersion(facts)} or later.` : null;
}

/** Requirements of a cluster in which several servers accept writes; null for a single server. */
export function writersWarning(facts: Settings): string | null {
  const cluster = clusterOf(facts);
  if (cluster === null) return null;
  return (
    `The server is one of ${cluster}. Row locks hold on one server only, so all nodes must write to the same server: give each node the same URL, ` +
    'and let a proxy or the order of the hosts in the URL select the server. Or set jobStore.writers: several on all nodes.'
  );
}

/** Describes the cluster of servers that all accept writes; null if there is only one such server. */
function clusterOf(facts: Settings): string | null {
  const size = isOn(facts, 'wsrep_on') ? Number(facts.get('wsrep_cluster_size') ?? 1) : 1;
  if (size > 1) return `${size} Galera nodes (wsrep_on)`;
  const isGroup = (facts.get('group_replication_group_name') ?? '') !== '';
  if (!isGroup || isOn(facts, 'group_replication_single_primary_mode')) return null;
  return 'a replication group in which all servers accept writes (group_replication_single_primary_mode = OFF)';
}

function binlogProblem(facts: Settings): string | null {
  const isStatement = isOn(facts, 'log_bin') && facts.get('binlog_format')?.toUpperCase() === 'STATEMENT';
  return isStatement ? 'binlog_format = STATEMENT rejects writes at READ COMMITTED. Set it to ROW or MIXED.' : null;
}

/** Returns the names of the settings with which the server may lose committed transactions after a power failure. */
export function nonDurableSettings(facts: Settings): readonly string[] {
  const durable = ['innodb_flush_log_at_trx_commit', ...(isOn(facts, 'log_bin') ? ['sync_binlog'] : [])];
  return durable.filter((name) => facts.get(name) !== '1');
}

function warningsOf(facts: Settings): string[] {
  const warnings: string[] = [];
  const nonDurable = nonDurableSettings(facts);
  if (nonDurable.length > 0) {
    warnings.push(
      `After a power failure the database may lose its last commits, and their triggers fire again: set ${nonDurable.join(' and ')} ` +
        'to 1.',
    );
  }
  if (isOn(facts, 'read_only'))
    warnings.push('The database is read-only (read_only = ON): nothing can be scheduled or fired.');
  const connections = Number(facts.get('max_connections') ?? Number.POSITIVE_INFINITY);
  if (connections < 2 * CONNECTIONS_OF_A_NODE) {
    warnings.push(
      `The database allows only ${connections} connections. Plan for at least ${CONNECTIONS_OF_A_NODE} per node: raise max_connections.`,
    );
  }
  return warnings;
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (numbers === undefined) return false; // a proxy hides the version
  const differs = oldest.findIndex((part, at) => numbers[at] !== part);
  return differs >= 0 && (numbers[differs] ?? 0) < (oldest[differs] ?? 0);
}

/** Checks the settings in effect on a connection. A proxy may have dropped the SET statements that this node sent. */
export function checkSession(
  role: ConnectionRole,
  found: Settings,
  { isolation = 'READ COMMITTED', writers = 'one' }: Pick<DatabaseOptions, 'isolation' | 'writers'> = {},
): { readonly problem: SqlError | null; readonly warnings: readonly string[] } {
  const writes = role !== 'read';
  const warnings: string[] = [];
  // A running node may reconnect to such a server after a failover, or after the server has joined a cluster.
  const replication = role === 'scheduler' && writers === 'one' ? writersWarning(found) : null;
  if (replication !== null) warnings.push(replication);
  const actual = isolationOf(found);
  const wanted = wantedIsolation(role, isolation);
  if (actual !== wanted) {
    warnings.push(
      `The database runs transactions at ${actual} although ${wanted} was set. Check whether a proxy drops session ` +
        'settings. Nothing fires twice, but more transactions are retried.',
    );
  }
  if (writes && !hasShortLimit(found)) {
    warnings.push(
      'The database may hold the locks of a hanging node for longer than 3 s: idle_transaction_timeout or wait_timeout ' +
        'could not be set on the connection.',
    );
  }
  const commitsByItself = found.get('autocommit') !== 'OFF';
  const kept = keptSettings(role, found);
  const problem = commitsByItself === writes ? autocommitKept() : kept.length > 0 ? settingsKept(kept) : null;
  return { problem, warnings };
}

/** Values that `setAnswers` of session.sql sets. Each server has only some of the variables. */
const EXPECTED: Readonly<Record<string, string>> = {
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  character_set_connection: 'utf8mb4',
  check_constraint_checks: 'ON',
  completion_type: 'NO_CHAIN',
  div_precision_increment: '4',
  foreign_key_checks: 'ON',
  group_concat_max_len: '1073741824',
  max_execution_time: '0',
  sql_auto_is_null: 'OFF',
  sql_big_selects: 'ON',
  sql_buffer_result: 'OFF',
  sql_mode: 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  sql_safe_updates: 'OFF',
  sql_select_limit: '18446744073709551615',
  time_zone: '+00:00',
  unique_checks: 'ON',
};

/** Returns the variables with another value than the node has set, such as `sql_safe_updates = ON (set: OFF)`. */
function keptSettings(role: ConnectionRole, found: Settings): readonly string[] {
  const readOnly = role === 'read' ? 'ON' : 'OFF';
  const expected = { ...EXPECTED, tx_read_only: readOnly, transaction_read_only: readOnly };
  return Object.entries(expected).flatMap(([name, value]) => {
    const actual = found.get(name);
    return actual === undefined || actual === value ? [] : [`${name} = ${actual} (set: ${value})`];
  });
}

export function isolationOf(found: Settings): string {
  return (found.get('transaction_isolation') ?? found.get('tx_isolation') ?? 'unknown').replace(/-/g, ' ');
}

export function wantedIsolation(role: ConnectionRole, isolation: IsolationLevel): IsolationLevel {
  return role === 'read' ? 'REPEATABLE READ' : isolation;
}

const MAX_IDLE_SECONDS = 2;

/** True if the server closes an idle connection within 2 seconds, so that a stalled node does not keep its locks. */
export function hasShortLimit(found: Settings): boolean {
  const limits = [found.get('idle_transaction_timeout'), found.get('wait_timeout')].map(Number);
  return limits.some((limit) => limit > 0 && limit <= MAX_IDLE_SECONDS);
}

function settingsKept(kept: readonly string[]): SqlError {
  return new SqlError({
    ...{ kind: 'schema', databaseCode: 'settings', statement: null },
    message: `session variables could not be set on the connection: ${kept.join(', ')}`,
    advice: 'Connect directly to the server, not through a proxy that shares sessions or drops SET statements.',
  });
}

function autocommitKept(): SqlError {
  return new SqlError({
    ...{ kind: 'schema', databaseCode: 'autocommit', statement: null },
    message: 'autocommit could not be set on the connection',
    advice: 'Connect directly to the server, not through a proxy that shares sessions.',
  });
}
