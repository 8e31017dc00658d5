import type { Lane } from './lane';
import { runTransaction } from './session';
import type {
  ConnectionRole,
  SqlDialect,
  SqlDriver,
  SqlParams,
  SqlTransaction,
  TransactionOptions,
} from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statements } from './statements';

/** A connection that a driver keeps, and what it is for; the lanes of `read` share its load. */
export interface RoleLane {
  readonly role: ConnectionRole;
  readonly lane: Lane;
}

export interface LaneDriverParts {
  readonly lanes: readonly RoleLane[];
  readonly dropSilent: () => void;
}

/** A driver made of connections of its own, instead of a pool in which one caller's burst starves the others. */
export class LaneDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  readonly #statements: Statements;
  readonly #dropSilent: () => void;
  readonly #lanes: readonly RoleLane[];

  constructor(dialect: SqlDialect, statements: Statements, { lanes, dropSilent }: LaneDriverParts) {
    this.dialect = dialect;
    this.#statements = statements;
    this.#dropSilent = dropSilent;
    this.#lanes = lanes;
  }

  transaction<T>(
    role: ConnectionRole,
    work: (tx: SqlTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    return this.#lane(role).use((session) => runTransaction(session, this.#statements, work, options));
  }

  async select<Row>(name: StatementName, params: SqlParams): Promise<Row[]> {
    const statement = this.#statements.get(name);
    const values = bindByPosition(statement, params);
    const { rows } = await this.#lane('read').use((session) => session.execute(statement, values));
    return rows as Row[];
  }

  cut(): void {
    for (const { lane } of this.#lanes) lane.cut();
  }

  dropSilent(): void {
    this.#dropSilent();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(({ lane }) => lane.close()));
  }

  /** The least loaded lane of the role. */
  #lane(role: ConnectionRole): Lane {
    const lanes = this.#lanes.filter((each) => each.role === role).map(({ lane }) => lane);
    const [first, ...others] = lanes;
    if (first === undefined) throw new TypeError(`No connection serves '${role}'.`);
    return others.reduce((least, lane) => (lane.load < least.load ? lane : least), first);
  }
}
