import {
  type DatabaseExaminer,
  type DatabaseFact,
  type DatabaseFault,
  type DatabaseReport,
  listed,
} from '../../database-examiner';
import type { DatabaseOptions, EngineExamination, SqlEngine } from '../engine/engine';
import type { ConnectionReading, SqlDriver } from '../runtime/sql-driver';
import { loadStatements, type Statements } from '../runtime/statements';
import { createMissingIndexes, readSchemaState } from '../schema/migrate';
import type { SchemaConnection } from '../schema/schema-connection';
import { planFaults, WATCHED_STATEMENTS } from './plan-faults';
import { schemaFacts, schemaFaults } from './schema-faults';

interface SqlExaminerParts
  extends Pick<DatabaseOptions, 'tablePrefix' | 'writers' | 'orderByPriority' | 'isolation' | 'clock'> {
  readonly maxConnections: number;
  readonly connect: () => Promise<SchemaConnection>;
  readonly engine: SqlEngine;
  readonly driver: SqlDriver;
  readonly schedName: string;
  readonly instanceId: string;
  readonly readClock: () => Promise<number>;
}

/** Time to wait for the settings of one of the node's connections, in milliseconds. */
const TIMEOUT_MS = 3_000;

/** Examines a database on a separate connection, which is closed afterwards. Reads the settings of the node's own connections. */
export class SqlExaminer implements DatabaseExaminer {
  readonly #parts: SqlExaminerParts;

  constructor(parts: SqlExaminerParts) {
    this.#parts = parts;
  }

  readonly examine: DatabaseExaminer['examine'] = async (nodes, isSqlShown = false) => {
    const { driver, isolation, connect } = this.#parts;
    const { examination } = this.#parts.engine;
    const clockOffset = await this.#clockOffset();
    const readings = (await driver.readConnections?.(TIMEOUT_MS)) ?? [];
    const opened = await connect();
    const ofTables = await opened.use((connection) => this.#examineTables(connection, nodes, isSqlShown));
    return {
      clockOffset,
      faults: [...ofTables.faults, ...examination.connectionFaults(readings, isolation), ...busyFaults(readings)],
      facts: [
        ...ofTables.facts,
        ...examination.connectionFacts(readings),
        ...connectionFacts(readings, examination.isolationOf),
      ],
    };
  };

  readonly createMissingIndexes: DatabaseExaminer['createMissingIndexes'] = async () => {
    const opened = await this.#parts.connect();
    return opened.use((connection) => createMissingIndexes(connection, this.#parts));
  };

  readonly truncateLog: DatabaseExaminer['truncateLog'] = async () =>
    (await this.#parts.driver.truncateLog?.()) ?? false;

  async #clockOffset(): Promise<number> {
    const { clock, readClock } = this.#parts;
    await readClock(); // the first call also connects, which would distort the measurement
    const before = clock.now();
    const there = await readClock();
    return there - (before + clock.now()) / 2;
  }

  async #examineTables(
    connection: SchemaConnection,
    nodes: number,
    isSqlShown: boolean,
  ): Promise<Omit<DatabaseReport, 'clockOffset'>> {
    const { tablePrefix, maxConnections, writers, clock, schedName, instanceId } = this.#parts;
    const state = await readSchemaState(connection, this.#parts);
    const statements = loadStatements(connection.dialect, { tablePrefix, keyText: state.keyText });
    const server = await connection.readServer();
    const { serverFacts, serverFaults, types } = this.#parts.engine.examination;
    return {
      faults: [
        ...schemaFaults(connection.declared, state, types),
        ...(await planFaults(connection, statements, { schedName, instanceId, now: clock.now() })),
        ...serverFaults(server, { nodes, connectionsOfNode: maxConnections, writers }),
      ],
      facts: [
        ...schemaFacts(state),
        { section: 'statements', name: 'checked plans', value: String(WATCHED_STATEMENTS) },
        ...serverFacts(server),
        ...(isSqlShown ? statementFacts(statements) : []),
      ],
    };
  }
}

function statementFacts(statements: Statements): readonly DatabaseFact[] {
  return statements.names.map((name) => ({ section: 'statements', name, value: statements.get(name).text }));
}

/** Number of transactions on one connection, in progress or waiting, above which the connection is reported as busy. */
const MANY_WAITING = 20;

/** Returns one fault if a connection has more than 20 transactions in progress or waiting; otherwise an empty array. Applies to every database. */
export function busyFaults(readings: readonly ConnectionReading[]): readonly DatabaseFault[] {
  const busy = readings.filter(({ load }) => load > MANY_WAITING);
  if (busy.length === 0) return [];
  return [
    {
      id: 'connectionsBusy',
      severity: 'warning',
      expected: `at most ${MANY_WAITING} transactions waiting for a connection`,
      found: listed(busy.map(({ role, load }) => `${load - 1} transactions wait for a connection (${role}).`)),
      advice:
        'Check the server for long transactions and locks. For connections that read, raise dataSource.<name>.maxConnections.',
    },
  ];
}

/** Returns the number of open connections, then the load and isolation level of each connection. */
function connectionFacts(
  readings: readonly ConnectionReading[],
  isolationOf: EngineExamination['isolationOf'],
): readonly DatabaseFact[] {
  const open = readings.filter(({ load, settings }) => settings !== null || load > 0);
  const each = open.map(({ role, load, settings }, index) => {
    const ordinal = open.slice(0, index + 1).filter((other) => other.role === role).length;
    const level = settings && isolationOf(settings);
    const use = load === 0 ? 'idle' : `in use, ${load - 1} waiting`;
    return { name: ordinal === 1 ? role : `${role} ${ordinal}`, value: level === null ? use : `${use}, ${level}` };
  });
  const all = [{ name: 'in use or idle', value: `${open.length} of ${readings.length}` }, ...each];
  return all.map((fact) => ({ section: 'connections', ...fact }));
}
