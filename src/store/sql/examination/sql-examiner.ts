import type { Clock } from '../../../base/clock';
import type { DatabaseExaminer, DatabaseFact, DatabaseReport } from '../../database-examiner';
import type { IsolationLevel } from '../mysql/check-settings';
import { toStoreFailure } from '../runtime/retry-rules';
import type { ConnectionReading, SqlDriver } from '../runtime/sql-driver';
import { loadStatements, type Statements } from '../runtime/statements';
import { createMissingIndexes, readSchemaState } from '../schema/migrate';
import type { SchemaConnection } from '../schema/schema-connection';
import { fileFacts, fileFaults } from './file-faults';
import { planFaults, WATCHED_STATEMENTS } from './plan-faults';
import { schemaFacts, schemaFaults } from './schema-faults';
import { busyFault, connectionFacts, serverFacts, serverFaults, sessionFaults } from './server-faults';

export interface SqlExaminerParts {
  readonly tablePrefix: string;
  readonly orderByPriority?: boolean;
  /** Of the node's connections that write; default READ COMMITTED. */
  readonly isolation?: IsolationLevel;
  /** How many a node may open. */
  readonly maxConnections: number;
  /** Opens a connection for looking at the tables and changing them. */
  readonly connect: () => Promise<SchemaConnection>;
  /** The node's own connections. */
  readonly driver: SqlDriver;
  readonly clock: Clock;
  readonly schedName: string;
  readonly instanceId: string;
  readonly readClock: () => Promise<number>;
}

/** How long a connection of the node may take to come to the question what holds on it. */
const PATIENCE_MS = 3_000;

/** Examines a database over a connection of its own, which it closes again, and asks the node's connections what holds on them. */
export class SqlExaminer implements DatabaseExaminer {
  readonly #parts: SqlExaminerParts;

  constructor(parts: SqlExaminerParts) {
    this.#parts = parts;
  }

  readonly examine: DatabaseExaminer['examine'] = async (nodes, isSqlShown = false) => {
    const { driver } = this.#parts;
    const clockOffset = await this.#clockOffset();
    const readings = (await driver.readConnections?.(PATIENCE_MS)) ?? [];
    const ofTables = await this.#connected((connection) => this.#examineTables(connection, nodes, isSqlShown));
    const ofConnections = driver.dialect.name === 'sqlite' ? ofFile(readings) : ofSessions(readings, this.#parts);
    return {
      clockOffset,
      faults: [...ofTables.faults, ...ofConnections.faults],
      facts: [...ofTables.facts, ...ofConnections.facts, ...connectionFacts(readings)],
    };
  };

  readonly createMissingIndexes: DatabaseExaminer['createMissingIndexes'] = () =>
    this.#connected((connection) => createMissingIndexes(connection, this.#parts));

  readonly truncateLog: DatabaseExaminer['truncateLog'] = async () =>
    (await this.#parts.driver.truncateLog?.()) ?? false;

  async #clockOffset(): Promise<number> {
    const { clock, readClock } = this.#parts;
    await readClock(); // connects, which takes longer than any reading
    const before = clock.now();
    const there = await readClock();
    return there - (before + clock.now()) / 2;
  }

  async #examineTables(
    connection: SchemaConnection,
    nodes: number,
    isSqlShown: boolean,
  ): Promise<Omit<DatabaseReport, 'clockOffset'>> {
    const { tablePrefix, maxConnections, clock, schedName, instanceId } = this.#parts;
    const state = await readSchemaState(connection, this.#parts);
    const { keyText } = state;
    const statements = loadStatements(connection.dialect, {
      tablePrefix,
      ...(keyText === undefined ? {} : { keyText }),
    });
    const server = await connection.readServer();
    const need = { nodes, connectionsOfNode: maxConnections };
    const isServer = server.size > 0;
    return {
      faults: [
        ...schemaFaults(state, tablePrefix),
        ...(await planFaults(connection, statements, { schedName, instanceId, now: clock.now() })),
        ...(isServer ? serverFaults(server, need) : []),
      ],
      facts: [
        ...schemaFacts(state),
        PLANS_LOOKED_AT,
        ...serverFacts(server),
        ...(isSqlShown ? statementFacts(statements) : []),
      ],
    };
  }

  async #connected<T>(work: (connection: SchemaConnection) => Promise<T>): Promise<T> {
    const connection = await this.#parts.connect();
    try {
      return await work(connection);
    } catch (error) {
      throw toStoreFailure(error);
    } finally {
      await connection.close();
    }
  }
}

const PLANS_LOOKED_AT: DatabaseFact = {
  section: 'statements',
  name: 'plans looked at',
  value: String(WATCHED_STATEMENTS),
};

/** The statements as the database gets them, with the names of this installation's tables. */
function statementFacts(statements: Statements): readonly DatabaseFact[] {
  return statements.names.map((name) => ({ section: 'statements', name, value: statements.get(name).text }));
}

function ofSessions(readings: readonly ConnectionReading[], { isolation }: SqlExaminerParts) {
  return { faults: sessionFaults(readings, isolation), facts: [] };
}

function ofFile(readings: readonly ConnectionReading[]) {
  const busy = busyFault(readings);
  return {
    faults: [...fileFaults(readings), ...(busy === null ? [] : [{ id: 'connectionsBusy' as const, ...busy }])],
    facts: fileFacts(readings),
  };
}
