import { Lane } from './lane';
import { runTransaction, type Session } from './session';
import type { ConnectionRole, SqlDialect, SqlDriver, SqlParams, SqlTransaction } from './sql-driver';
import type { StatementName } from './statement-names';
import { bindByPosition, type Statements } from './statements';

/** Which connections a driver keeps: one lane for each list of roles; the lanes of `read` share its load. */
export interface LanePlan {
  readonly roles: readonly ConnectionRole[];
  readonly connect: () => Promise<Session>;
}

export interface LaneDriverParts {
  readonly plans: readonly LanePlan[];
  readonly dropSilent: () => void;
}

/** A driver made of connections of its own, instead of a pool in which one caller's burst starves the others. */
export class LaneDriver implements SqlDriver {
  readonly dialect: SqlDialect;
  readonly #statements: Statements;
  readonly #dropSilent: () => void;
  readonly #lanes: readonly { readonly roles: readonly ConnectionRole[]; readonly lane: Lane }[];

  constructor(dialect: SqlDialect, statements: Statements, { plans, dropSilent }: LaneDriverParts) {
    this.dialect = dialect;
    this.#statements = statements;
    this.#dropSilent = dropSilent;
    this.#lanes = plans.map(({ roles, connect }) => ({ roles, lane: new Lane(connect) }));
  }

  transaction<T>(role: ConnectionRole, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.#lane(role).use((session) => runTransaction(session, this.#statements, work));
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
    const lanes = this.#lanes.filter(({ roles }) => roles.includes(role)).map(({ lane }) => lane);
    const [first, ...others] = lanes;
    if (first === undefined) throw new TypeError(`No connection serves '${role}'.`);
    return others.reduce((least, lane) => (lane.load < least.load ? lane : least), first);
  }
}
