import type { Clock } from '../../../base/clock';
import type { DatabaseOptions, Settings } from '../engine/engine';
import { type ConnectionRole, SqlError, type SqlParams, type Writers } from '../runtime/sql-driver';
import { bindByPosition, type Statement } from '../runtime/statements';
import { type Catalogue, type ColumnRow, type ForeignKeyRow, type IndexRow, toTables } from '../schema/catalogue';
import { type PlanStep, SchemaConnection, type ServerFindings, type StatementPlan } from '../schema/schema-connection';
import { checkServer, checkSession, flavourOf, isOn, type MysqlFlavour } from './check-settings';
import type { OpenSessions, ServerProcess, ServerView } from './connection-watch';
import { exactKeyStatements } from './exact-keys';
import { BELL_ANSWER_TIMEOUT_MS } from './mysql-bell';
import type { MysqlSettings } from './mysql-data-source';
import { MysqlSession, type SessionOptions } from './mysql-session';
import { sessionText } from './session-texts';

export interface ConnectionOptions
  extends Pick<DatabaseOptions, 'clock' | 'isolation' | 'checkInTimeoutMs' | 'onWarning' | 'writers'> {
  readonly settings: MysqlSettings;
  readonly flavour: MysqlFlavour;
}

/** Timeout of one statement that changes a table, in milliseconds. Creating an index on a large table takes long. */
const DEFINITION_TIMEOUT_MS = 3_600_000;

/** Idle time before a node closes a connection. Shorter than the 2 s of limitIdleConnections, after which MySQL would drop it and count it as aborted. */
const IDLE_LIMIT_MS = 1_400;

export function readSettings(session: MysqlSession): Promise<Settings> {
  return show(session, sessionText('selectSettings'));
}

/** Reads the settings of a connection. For the scheduler connection, also reads the number of Galera nodes. */
async function readFacts(role: ConnectionRole, session: MysqlSession): Promise<Settings> {
  const settings = await readSettings(session);
  if (role !== 'scheduler' || !isOn(settings, 'wsrep_on')) return settings;
  return new Map([...settings, ...(await show(session, sessionText('selectClusterSize')))]);
}

/** Facts that distinguish one server from another. MariaDB has no `server_uuid`, and replicas of one machine may share a host name. */
const SERVER_FACTS = ['server_uuid', 'server_id', 'hostname', 'port'] as const;

function serverIn(settings: Settings): string | null {
  const facts = SERVER_FACTS.map((name) => settings.get(name) ?? '');
  return facts.some((fact) => fact !== '') ? facts.join(' ') : null;
}

/** Runs a SHOW statement as text, because some servers cannot prepare it. */
async function show(session: MysqlSession, statement: string): Promise<Settings> {
  const { rows } = await session.query(statement);
  const pairs = rows as readonly { readonly Variable_name: string; readonly Value: string }[];
  return new Map(pairs.map(({ Variable_name, Value }) => [Variable_name.toLowerCase(), Value]));
}

export async function readProcesses(session: MysqlSession): Promise<ServerView> {
  const { rows } = await session.query(sessionText('selectProcesses'));
  return { reader: session.id, processes: rows as readonly ServerProcess[] };
}

/** Opens a connection, sets it up for its role, and checks its settings. Rejects if the server ignored `autocommit`. */
export async function connectFor(
  role: ConnectionRole,
  options: ConnectionOptions,
  sessionOptions: SessionOptions,
  setup = setupFor(role, options),
): Promise<MysqlSession> {
  const longPauses = role === 'scheduler' ? { longPauses: longPausesOn(options) } : {};
  const session = await MysqlSession.open(options.settings, options.clock, {
    ...sessionOptions,
    ...longPauses,
    ...(setup.includes('limitIdleConnections') && { idleLimitMs: IDLE_LIMIT_MS }),
    provesTransactions: options.writers === 'several' && role !== 'read',
  });
  try {
    for (const name of setup) await session.query(sessionText(name));
    const found = await readFacts(role, session);
    const { problem, warnings } = checkSession(role, found, options);
    for (const warning of warnings) options.onWarning(warning);
    if (problem !== null) throw problem;
    session.server = serverIn(found);
    session.limitPackets(Number(found.get('max_allowed_packet') ?? Number.POSITIVE_INFINITY));
    if (role === 'read') session.beginExplicitly();
    else await session.rollback(); // reading the settings may have begun a transaction
    return session;
  } catch (error) {
    session.discard();
    throw error;
  }
}

/** Opens the connection on which a node waits for rings. It is idle for longer than any other. */
export async function connectBell({ settings, clock }: ConnectionOptions, among: OpenSessions): Promise<MysqlSession> {
  const session = await MysqlSession.open(settings, clock, { answerTimeoutMs: BELL_ANSWER_TIMEOUT_MS, among });
  try {
    await session.query(sessionText('setAnswers'));
    await session.query(sessionText('setBell'));
    return session;
  } catch (error) {
    session.discard();
    throw error;
  }
}

/** Opens a connection for transactions of jobs. It writes, but allows long pauses and long waits for locks while a job works. */
export function connectForJobs(options: ConnectionOptions): Promise<MysqlSession> {
  if (options.flavour === 'mariadb') {
    const longPauses = { allow: sessionText('allowJobs'), end: sessionText('endJobs') };
    return connectFor('completions', options, { longPauses });
  }
  // MySQL has one lock timeout for all rows. A job's transaction therefore waits for the cluster's lock as long as for any other row.
  const withoutRowLimit = setupFor('completions', options).filter((name) => name !== 'limitRowWaits');
  return connectFor('completions', options, { longPauses: longPausesOn(options) }, withoutRowLimit);
}

function setupFor(role: ConnectionRole, { flavour, isolation }: ConnectionOptions): readonly string[] {
  if (role === 'read') return ['setAnswers', 'setRepeatableRead', 'setReadOnly', 'setReader'];
  const level = isolation === 'REPEATABLE READ' ? 'setRepeatableRead' : 'setReadCommitted';
  const settings = ['setAnswers', level, role === 'checkIn' ? 'setCheckIn' : 'setWriter'];
  const limitIdling = flavour === 'mysql' ? 'limitIdleConnections' : 'limitIdleTransactions';
  return [...settings, limitIdling, ...(role === 'checkIn' ? [] : ['limitRowWaits'])];
}

function longPausesOn({ flavour }: ConnectionOptions) {
  return flavour === 'mysql'
    ? { allow: sessionText('allowLongIdling'), end: sessionText('endLongIdling') }
    : { allow: sessionText('allowLongPauses'), end: sessionText('endLongPauses') };
}

interface ExplainRow {
  /** Null if the server knows that the step reads nothing. */
  readonly table: string | null;
  readonly type: string | null;
  readonly key: string | null;
  /** Null for the table into which rows are inserted. */
  readonly rows: number | string | null;
  readonly Extra: string | null;
}

/** Converts a row of EXPLAIN. Returns an empty array for sources other than tables, such as a set of rows in a parameter. */
function toPlanStep({ table, type, key, rows, Extra }: ExplainRow): readonly PlanStep[] {
  if (table === null || table.startsWith('<') || rows === null || Extra?.includes('Table function')) return [];
  const isScan = type === 'ALL' || type === 'index' || key === null;
  return [{ table, index: key, isScan, rows: Number(rows) }];
}

/** A connection that reads the catalogue and changes tables. It uses autocommit, because every statement that changes a table commits implicitly. */
export class MysqlSchemaConnection extends SchemaConnection<MysqlSession> {
  readonly flavour: MysqlFlavour;

  private constructor(session: MysqlSession, flavour: MysqlFlavour, tablePrefix: string) {
    super('mysql', session, tablePrefix);
    this.flavour = flavour;
  }

  static async open(settings: MysqlSettings, tablePrefix: string, clock: Clock): Promise<MysqlSchemaConnection> {
    const session = await MysqlSession.open(settings, clock, { answerTimeoutMs: DEFINITION_TIMEOUT_MS });
    try {
      await session.query(sessionText('setAnswers'));
      await session.query(sessionText('setMigrator'));
      return new MysqlSchemaConnection(session, flavourOf(await readSettings(session)), tablePrefix);
    } catch (error) {
      session.discard();
      throw error;
    }
  }

  async readCatalogue(): Promise<Catalogue> {
    const dot = this.tablePrefix.indexOf('.');
    const where = {
      schemaName: dot < 0 ? null : this.tablePrefix.slice(0, dot),
      namePrefix: this.tablePrefix.slice(dot + 1),
    };
    const columns = await this.all<ColumnRow>('selectColumns', where);
    const indexes = await this.all<IndexRow>('selectIndexes', where);
    const [nameCase] = await this.all<{ lowerCaseTableNames: number }>('selectTableNameCase', {});
    const [exact] = await this.all<{ collation: string }>('selectExactCollation', {});
    return {
      tablePrefix: this.tablePrefix,
      tables: toTables(columns, indexes, await this.all<ForeignKeyRow>('selectForeignKeys', where)),
      ignoresCase: Number(nameCase?.lowerCaseTableNames) !== 0,
      exactKeyText: { characterSet: 'utf8mb4', collation: exact?.collation ?? 'utf8mb4_bin' },
    };
  }

  override async checkServer(writers?: Writers): Promise<ServerFindings> {
    return checkServer(await this.readServer(), writers);
  }

  override exactKeyStatements(catalogue: Catalogue): readonly string[] {
    return exactKeyStatements(this.declared, catalogue);
  }

  override async readServer(): Promise<Settings> {
    const settings = await show(this.session, this.text('selectServerSettings').text);
    const status = await show(this.session, this.text('selectServerStatus').text);
    return new Map([...settings, ...status]);
  }

  async explain(statement: Statement, params: SqlParams): Promise<StatementPlan> {
    // In MySQL 9, the default format is a tree.
    const explained = { ...statement, text: `EXPLAIN FORMAT=TRADITIONAL ${statement.text}` };
    const { rows } = await this.session.execute(explained, bindByPosition(statement, params));
    const plan = rows as readonly ExplainRow[];
    return { steps: plan.flatMap(toPlanStep), sorts: plan.some(({ Extra }) => Extra?.includes('filesort')) };
  }

  async define(statement: string): Promise<void> {
    await this.session.query(statement);
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const lockName = `quartz-ts ${this.tablePrefix}`;
    const [answer] = await this.all<{ granted: number | null }>('selectMigrationLock', { lockName });
    if (answer?.granted !== 1) {
      const message = `another node has been migrating the tables for a minute and holds the lock '${lockName}'`;
      throw new SqlError({ kind: 'lockTimeout', databaseCode: 'GET_LOCK', statement: null, message });
    }
    try {
      return await work();
    } finally {
      await this.all('selectMigrationUnlock', { lockName });
    }
  }
}
