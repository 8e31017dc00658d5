/** Ids of the faults that an examination of the database may report. An id never changes. */
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

/** A difference between the database and the scheduler's requirements. */
export interface DatabaseFault {
  readonly id: (typeof DATABASE_FAULTS)[number];
  /** `problem`: some triggers do not fire. `warning`: firing may stop soon. `note`: for information. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly expected: string;
  readonly found: string;
  /** Recommended fix. */
  readonly advice: string;
}

/** A setting or property of the database, listed whether or not it is a fault. */
export interface DatabaseFact {
  readonly section: 'schema' | 'statements' | 'server' | 'connections';
  readonly name: string;
  readonly value: string;
}

export interface DatabaseReport {
  /** At most one fault per id. */
  readonly faults: readonly DatabaseFault[];
  readonly facts: readonly DatabaseFact[];
  /** The database's clock minus this machine's clock in milliseconds, estimated from one reading. */
  readonly clockOffset: number;
}

/** Clock offset that a node reported at its last check-in. */
export interface NodeClock {
  readonly instanceId: string;
  /** The database's clock minus the node's clock, in milliseconds. */
  readonly offset: number;
}

/** Examines a database for faults. Does not join the cluster. */
export interface DatabaseExaminer {
  /**
   * Examines the database. `nodes`: number of nodes that share it. With `isSqlShown` (default false), the facts include every statement of
   * the store. Rejects with STORE_FAILURE.
   */
  examine(nodes: number, isSqlShown?: boolean): Promise<DatabaseReport>;
  /**
   * Creates the missing indexes and returns the statements that were run. Nodes that call this at the same time run one after the other.
   * Rejects with STORE_FAILURE.
   */
  createMissingIndexes(): Promise<readonly string[]>;
  /**
   * Writes the write-ahead log of an embedded database into its file and empties the log. Returns false if there is no log, or if another
   * connection reads it.
   */
  truncateLog(): Promise<boolean>;
}

const MAX_LISTED = 20;

/** Joins up to 20 sentences about a fault with spaces. If there are more, appends the number of omitted sentences. */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
}
