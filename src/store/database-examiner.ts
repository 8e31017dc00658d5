/** Ids of the possible faults of a database itself. They never change. */
export const DATABASE_FAULTS = [
  'schemaVersion',
  'missingTables',
  'missingColumns',
  'missingKeys',
  'missingIndexes',
  'alteredTables',
  'alteredColumns',
  'keyText',
  'schemaWarnings',
  'statementPlans',
  'serverVersion',
  'replication',
  'binlogFormat',
  'readOnly',
  'durability',
  'connectionLimit',
  'largeLog',
  'isolation',
  'sessionSettings',
  'connectionsBusy',
] as const;

/** A fault: the database differs from what the scheduler needs. */
export interface DatabaseFault {
  readonly id: (typeof DATABASE_FAULTS)[number];
  /** `problem`: something does not fire; `warning`: something may stop firing soon; `note`: worth knowing. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly expected: string;
  readonly found: string;
  /** Recommended remedy. */
  readonly advice: string;
}

/** A setting or property of the database, whether it is a fault or not. */
export interface DatabaseFact {
  readonly section: 'schema' | 'statements' | 'server' | 'connections';
  readonly name: string;
  readonly value: string;
}

export interface DatabaseReport {
  /** At most one of each id. */
  readonly faults: readonly DatabaseFault[];
  readonly facts: readonly DatabaseFact[];
  /** The database's clock minus this machine's, estimated from one reading. Milliseconds. */
  readonly clockOffset: number;
}

/** Clock of a node at its last check-in. */
export interface NodeClock {
  readonly instanceId: string;
  /** The database's clock minus the node's. Milliseconds. */
  readonly offset: number;
}

/** Examines a database for faults. Does not join the cluster. */
export interface DatabaseExaminer {
  /**
   * `nodes`: number of nodes that share the database. `isSqlShown` (default false): the facts include every statement of the store. Rejects
   * with STORE_FAILURE.
   */
  examine(nodes: number, isSqlShown?: boolean): Promise<DatabaseReport>;
  /** Creates the missing indexes, one node at a time, and returns their statements. Rejects with STORE_FAILURE. */
  createMissingIndexes(): Promise<readonly string[]>;
  /** Writes the log of an embedded database into its file, and empties the log. False: another connection reads the log, or there is none. */
  truncateLog(): Promise<boolean>;
}

const MAX_LISTED = 20;

/** Joins the sentences of a fault, at most 20 of them. */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
}
