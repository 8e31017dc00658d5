import { type DatabaseFact, type DatabaseFault, listed } from '../../database-examiner';
import type { ConnectionNeed, Settings } from '../engine/engine';
import type { ConnectionReading, IsolationLevel } from '../runtime/sql-driver';
import {
  hasShortLimit,
  isOn,
  isolationOf,
  nonDurableSettings,
  oldestVersion,
  serverProblems,
  wantedIsolation,
  writersWarning,
} from './check-settings';

/** Connections reserved for tools, backups, and a node that starts before its predecessor has ended. */
const SPARE_CONNECTIONS = 5;

type Draft = Omit<DatabaseFault, 'id'>;

export function serverFaults(facts: Settings, need: ConnectionNeed): readonly DatabaseFault[] {
  const { serverVersion, binlogFormat } = serverProblems(facts);
  const cluster = need.writers === 'several' ? null : writersWarning(facts);
  return asFaults({
    serverVersion: problem(serverVersion, {
      expected: `${oldestVersion(facts)} or later`,
      advice: 'Update the server.',
    }),
    replication:
      cluster === null
        ? null
        : {
            severity: 'note',
            expected: 'one server that accepts writes',
            found: cluster,
            advice: 'Check that all nodes connect to the same server, so that they share its row locks.',
          },
    binlogFormat: problem(binlogFormat, {
      expected: 'binlog_format = ROW or MIXED',
      advice: 'Set binlog_format to ROW or MIXED.',
    }),
    readOnly: isOn(facts, 'read_only') ? READ_ONLY : null,
    durability: durabilityFault(facts),
    connectionLimit: connectionFault(facts, need),
  });
}

function asFaults(found: Partial<Record<DatabaseFault['id'], Draft | null>>): readonly DatabaseFault[] {
  const entries = Object.entries(found) as [DatabaseFault['id'], Draft | null][];
  return entries.flatMap(([id, draft]) => (draft === null ? [] : [{ id, ...draft }]));
}

function problem(found: string | null, rest: Pick<Draft, 'expected' | 'advice'>): Draft | null {
  return found === null ? null : { severity: 'problem', found, ...rest };
}

const READ_ONLY: Draft = {
  severity: 'problem',
  expected: 'read_only = OFF',
  found: 'read_only = ON: nothing can be scheduled or fired.',
  advice: 'Connect to the server that accepts writes, or set read_only = OFF.',
};

function durabilityFault(facts: Settings): Draft | null {
  const nonDurable = nonDurableSettings(facts);
  if (nonDurable.length === 0) return null;
  return {
    severity: 'warning',
    expected: nonDurable.map((name) => `${name} = 1`).join(', '),
    found: `${nonDurable.map((name) => `${name} = ${facts.get(name)}`).join(', ')}: after a power failure the last commits may be lost, and their triggers fire again.`,
    advice: 'Set these variables to 1, or accept that triggers may fire twice after a power failure.',
  };
}

function connectionFault(facts: Settings, { nodes, connectionsOfNode }: ConnectionNeed): Draft | null {
  const granted = Number(facts.get('max_connections') ?? Number.NaN);
  const used = Number(facts.get('threads_connected') ?? 0);
  const needed = nodes * connectionsOfNode + SPARE_CONNECTIONS;
  const isNearlyFull = used >= granted - 1;
  if (!(granted < needed || isNearlyFull)) return null;
  return {
    severity: 'warning',
    expected: `max_connections of ${needed} or more: ${nodes} node${nodes === 1 ? '' : 's'} with up to ${connectionsOfNode} each, and ${SPARE_CONNECTIONS} spare`,
    found: `max_connections = ${granted}; connections in use: ${used}.`,
    advice:
      'Raise max_connections on the server, or lower dataSource.<name>.maxConnections on the nodes. A node keeps three connections for writes; the others are for reads.',
  };
}

const SHOWN: readonly string[] = [
  ...['version', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'binlog_format', 'read_only'],
  ...['max_connections', 'threads_connected', 'max_used_connections', 'wait_timeout', 'innodb_lock_wait_timeout'],
  ...['sql_mode', 'tx_isolation', 'transaction_isolation'],
];

/** Returns the relevant server settings. The store's own connections may have different settings. */
export function serverFacts(facts: Settings): readonly DatabaseFact[] {
  return SHOWN.flatMap((name) => {
    const value = facts.get(name);
    return value === undefined ? [] : [{ section: 'server', name, value } as const];
  });
}

/** Returns faults for connections whose settings differ from the settings in session.sql. */
export function sessionFaults(
  readings: readonly ConnectionReading[],
  isolation: IsolationLevel = 'READ COMMITTED',
): readonly DatabaseFault[] {
  const open = readings.flatMap(({ role, settings }) => (settings === null ? [] : [{ role, settings }]));
  const levels = open.flatMap(({ role, settings }) => {
    const [wanted, found] = [wantedIsolation(role, isolation), isolationOf(settings)];
    return wanted === found ? [] : [`${role}: ${found}, not ${wanted}.`];
  });
  const others = open.flatMap(({ role, settings }) => settingRemarks(role, settings));
  return asFaults({
    isolation: remarksFault(levels, {
      severity: 'warning',
      expected: `${isolation} on connections that write, REPEATABLE READ on connections that only read`,
      advice: 'Check whether a proxy drops session settings. Nothing fires twice, but more transactions are retried.',
    }),
    sessionSettings: remarksFault(others, {
      severity: 'warning',
      expected: 'the settings of session.sql on each connection',
      advice: 'Connect directly to the server, not through a proxy that shares or resets sessions.',
    }),
  });
}

function remarksFault(texts: readonly string[], rest: Omit<Draft, 'found'>): Draft | null {
  return texts.length === 0 ? null : { ...rest, found: listed([...new Set(texts)]) };
}

function settingRemarks(role: ConnectionReading['role'], settings: Settings): readonly string[] {
  const writes = role !== 'read';
  const remarks = [
    (settings.get('autocommit') === 'OFF') !== writes && `autocommit = ${settings.get('autocommit')}`,
    !(settings.get('sql_mode') ?? '').includes('STRICT_TRANS_TABLES') && `sql_mode = '${settings.get('sql_mode')}'`,
    writes && !hasShortLimit(settings) && `wait_timeout = ${settings.get('wait_timeout')}`,
    writes &&
      Number(settings.get('innodb_lock_wait_timeout')) > MAX_LOCK_WAIT_S &&
      `innodb_lock_wait_timeout = ${settings.get('innodb_lock_wait_timeout')}`,
  ];
  return remarks.filter((remark) => remark !== false).map((remark) => `${role}: ${remark}.`);
}

/** Lock wait timeout that session.sql sets, in seconds. */
const MAX_LOCK_WAIT_S = 10;
