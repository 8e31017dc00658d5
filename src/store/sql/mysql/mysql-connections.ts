import type { Clock } from '../../../base/clock';
import { type ConnectionRole, SqlError } from '../runtime/sql-driver';
import { namedTexts } from '../runtime/statements';
import type { ServerProcess, ServerView } from './connection-watch';
import { MysqlSession, type SessionOptions } from './mysql-session';
import type { MysqlSettings } from './mysql-settings';

/** The two servers that speak the protocol; what they offer differs. */
export type MysqlFlavour = 'mysql' | 'mariadb';

export type IsolationLevel = 'READ COMMITTED' | 'REPEATABLE READ';

export interface ConnectionOptions {
  readonly settings: MysqlSettings;
  readonly flavour: MysqlFlavour;
  readonly clock: Clock;
  /** Of the connections that write. Anything but the default READ COMMITTED is for proving that it works there too. */
  readonly isolation?: IsolationLevel;
  /** How long a check-in waits for an answer; default 5,000. A later one would renew nothing, and the next must not wait behind it. */
  readonly checkInTimeoutMs?: number;
  /** Called with what an operator should know about the connections; the same sentence may come for each. */
  readonly onWarning: (warning: string) => void;
}

/** For one definition: an index on a large table takes its time. */
const DEFINITION_TIMEOUT_MS = 3_600_000;

/** What a server's `SHOW VARIABLES` said, by lower-case name. */
export type ServerSettings = ReadonlyMap<string, string>;

const sessionText = namedTexts('mysql', 'session.sql');
const text = (name: string) => sessionText(name).text;

/** The settings that hold on this connection now. */
export async function readSettings(session: MysqlSession): Promise<ServerSettings> {
  const { rows } = await session.query(text('selectSettings'));
  const pairs = rows as readonly { readonly Variable_name: string; readonly Value: string }[];
  return new Map(pairs.map(({ Variable_name, Value }) => [Variable_name.toLowerCase(), Value]));
}

/** What the server says of its connections. */
export async function readProcesses(session: MysqlSession): Promise<ServerView> {
  const { rows } = await session.query(text('selectProcesses'));
  return { asker: session.id, processes: rows as readonly ServerProcess[] };
}

/** MariaDB says so in its version, behind most proxies too. */
export function flavourOf(settings: ServerSettings): MysqlFlavour {
  const version = `${settings.get('version')} ${settings.get('version_comment')}`;
  return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
}

/** A connection set up for its role, and checked. */
export async function connectFor(
  role: ConnectionRole,
  options: ConnectionOptions,
  sessionOptions: SessionOptions = {},
): Promise<MysqlSession> {
  const longPauses = role === 'scheduler' ? { longPauses: longPausesOn(options) } : {};
  const session = await MysqlSession.open(options.settings, options.clock, { ...sessionOptions, ...longPauses });
  try {
    for (const name of setupFor(role, options)) await session.query(text(name));
    check(role, options, await readSettings(session), session);
    if (role === 'read') session.beginExplicitly();
    else await session.rollback(); // reading the settings may have begun a transaction
    return session;
  } catch (error) {
    session.discard();
    throw error;
  }
}

/** A connection that defines tables. */
export async function connectForSchema(settings: MysqlSettings, clock: Clock): Promise<MysqlSession> {
  const session = await MysqlSession.open(settings, clock, { answerTimeoutMs: DEFINITION_TIMEOUT_MS });
  try {
    await session.query(text('setMigrator'));
    return session;
  } catch (error) {
    session.discard();
    throw error;
  }
}

function setupFor(role: ConnectionRole, { flavour, isolation }: ConnectionOptions): readonly string[] {
  if (role === 'read') return ['setRepeatableRead', 'setReadOnly', 'setReader'];
  const level = isolation === 'REPEATABLE READ' ? 'setRepeatableRead' : 'setReadCommitted';
  const settings = [level, role === 'checkIn' ? 'setCheckIn' : 'setWriter'];
  if (flavour === 'mysql') return [...settings, 'limitIdleConnections'];
  return [...settings, 'limitIdleTransactions', ...(role === 'checkIn' ? [] : ['limitRowWaits'])];
}

function longPausesOn({ flavour }: ConnectionOptions) {
  return flavour === 'mysql'
    ? { allow: text('allowLongIdling'), end: text('endLongIdling') }
    : { allow: text('allowLongPauses'), end: text('endLongPauses') };
}

function check(role: ConnectionRole, options: ConnectionOptions, found: ServerSettings, session: MysqlSession): void {
  const { problem, warnings } = checkSession(role, found, options.isolation);
  for (const warning of warnings) options.onWarning(warning);
  if (problem !== null) throw problem;
  session.limitPackets(Number(found.get('max_allowed_packet') ?? Number.POSITIVE_INFINITY));
}

/** Judges what a connection is really set to, whatever it was told: a proxy may have kept that from the server. */
export function checkSession(
  role: ConnectionRole,
  found: ServerSettings,
  isolation: IsolationLevel = 'READ COMMITTED',
): { readonly problem: SqlError | null; readonly warnings: readonly string[] } {
  const writes = role !== 'read';
  const warnings: string[] = [];
  const actual = (found.get('transaction_isolation') ?? found.get('tx_isolation') ?? 'unknown').replace(/-/g, ' ');
  const wanted = writes ? isolation : 'REPEATABLE READ';
  if (actual !== wanted) {
    warnings.push(
      `The database runs transactions at ${actual} although ${wanted} was set: does a proxy keep session settings from ` +
        'it? Nothing fires twice, but more transactions must be repeated.',
    );
  }
  if (writes && !hasShortLimit(found)) {
    warnings.push(
      'The database keeps the locks of a node that hangs for longer than 3 s: idle_transaction_timeout or wait_timeout ' +
        'could not be set on the connection.',
    );
  }
  const commitsByItself = found.get('autocommit') !== 'OFF';
  return { problem: commitsByItself === writes ? keptSetting('autocommit') : null, warnings };
}

const MAX_IDLE_SECONDS = 2;

function hasShortLimit(found: ServerSettings): boolean {
  const limits = [found.get('idle_transaction_timeout'), found.get('wait_timeout')].map(Number);
  return limits.some((limit) => limit > 0 && limit <= MAX_IDLE_SECONDS);
}

function keptSetting(name: string): SqlError {
  const message = `${name} could not be set on the connection; connect to the server itself, not through a proxy that shares sessions`;
  return new SqlError({ kind: 'schema', databaseCode: name, statement: null, message });
}
