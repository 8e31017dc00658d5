import { flavourOf, type ServerSettings } from './mysql-connections';

/** Why a server cannot be used, and what an operator should know about one that can. */
export interface ServerFindings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Oldest versions: JSON_TABLE, and what was tried. */
const OLDEST = {
  mysql: { name: 'MySQL', oldest: [8, 0, 19] },
  mariadb: { name: 'MariaDB', oldest: [10, 11, 0] },
} as const;

/** Connections of one node: three that write, up to three that read. */
const CONNECTIONS_OF_A_NODE = 6;

/** Judges a MySQL or MariaDB server by its settings and status, as SHOW gives them. */
export function checkServer(facts: ServerSettings): ServerFindings {
  return { problems: problemsOf(facts), warnings: warningsOf(facts) };
}

const isOn = (facts: ServerSettings, name: string) => /^(on|1)$/i.test(facts.get(name) ?? '');

function problemsOf(facts: ServerSettings): string[] {
  const problems: string[] = [];
  const version = facts.get('version') ?? '';
  const { name, oldest } = OLDEST[flavourOf(facts)];
  if (isOlder(version, oldest)) {
    problems.push(`${name} ${version} is too old; ${name} ${oldest.join('.')} or later is needed.`);
  }
  if (isOn(facts, 'wsrep_on') && Number(facts.get('wsrep_cluster_size') ?? 1) > 1) {
    problems.push(
      `It is one of ${facts.get('wsrep_cluster_size')} Galera nodes (wsrep_on): row locks hold on one of them only, so two ` +
        'schedulers could fire the same trigger. Use a server that is not part of a Galera cluster.',
    );
  }
  if (
    (facts.get('group_replication_group_name') ?? '') !== '' &&
    !isOn(facts, 'group_replication_single_primary_mode')
  ) {
    problems.push(
      'Group replication accepts writes on several servers, whose row locks do not exclude each other. ' +
        'Set group_replication_single_primary_mode = ON.',
    );
  }
  if (isOn(facts, 'log_bin') && facts.get('binlog_format')?.toUpperCase() === 'STATEMENT') {
    problems.push('binlog_format = STATEMENT refuses writes at READ COMMITTED; set it to ROW or MIXED.');
  }
  return problems;
}

function warningsOf(facts: ServerSettings): string[] {
  const warnings: string[] = [];
  const durable = ['innodb_flush_log_at_trx_commit', ...(isOn(facts, 'log_bin') ? ['sync_binlog'] : [])];
  const forgets = durable.filter((name) => facts.get(name) !== '1');
  if (forgets.length > 0) {
    warnings.push(
      `The database may forget its last commits when its machine loses power, and fire them again: ${forgets.join(' and ')} ` +
        'should be 1.',
    );
  }
  if (isOn(facts, 'read_only'))
    warnings.push('The database is read-only (read_only = ON): nothing can be scheduled or fired.');
  const connections = Number(facts.get('max_connections') ?? Number.POSITIVE_INFINITY);
  if (connections < 2 * CONNECTIONS_OF_A_NODE) {
    warnings.push(
      `The database grants ${connections} connections and every node uses up to ${CONNECTIONS_OF_A_NODE}; raise max_connections.`,
    );
  }
  return warnings;
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (numbers === undefined) return false; // a proxy that hides it: the statements will tell
  const differs = oldest.findIndex((part, at) => numbers[at] !== part);
  return differs >= 0 && (numbers[differs] ?? 0) < (oldest[differs] ?? 0);
}
