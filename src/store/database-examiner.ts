/** Ids of the faults that an examination of the database may report, with the section of each. An id never changes. */
export const DATABASE_FAULTS = {
  schemaVersion: 'schema',
  missingTables: 'schema',
  missingColumns: 'schema',
  missingKeys: 'schema',
  missingIndexes: 'schema',
  alteredTables: 'schema',
  alteredColumns: 'schema',
  keyText: 'schema',
  schemaWarnings: 'schema',
  statementPlans: 'statements',
  serverVersion: 'server',
  replication: 'server',
  binlogFormat: 'server',
  readOnly: 'server',
  durability: 'server',
  connectionLimit: 'server',
  largeLog: 'server',
  isolation: 'connections',
  sessionSettings: 'connections',
  connectionsBusy: 'connections',
} as const;

/** A difference between the database and the scheduler's requirements. */
export interface DatabaseFault {
  readonly id: keyof typeof DATABASE_FAULTS;
  /** `problem`: some triggers do not fire. `warning`: firing may stop soon. `note`: for information. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly expected: string;
  readonly found: string;
  readonly advice: string;
}

/** A setting or property of the database, listed whether or not it is a fault. */
export interface DatabaseFact {
  readonly section: (typeof DATABASE_FAULTS)[keyof typeof DATABASE_FAULTS];
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

export interface NodeClock {
  readonly instanceId: string;
  /** The database's clock minus the node's clock, in milliseconds. */
  readonly offset: number;
}

/** Examines a database for faults. Does not join the cluster. */
export interface DatabaseExaminer {
  /** Rejects with STORE_FAILURE. `nodes`: number of nodes that share the database. `isSqlShown` (default false): also list the store's statements. */
  examine(nodes: number, isSqlShown?: boolean): Promise<DatabaseReport>;
  /** Creates the missing indexes, one node at a time. Returns the statements that were run. Rejects with STORE_FAILURE. */
  createMissingIndexes(): Promise<readonly string[]>;
  /** Writes an embedded database's write-ahead log into its file and empties it. Returns false without a log, or if another connection reads it. */
  truncateLog(): Promise<boolean>;
}

const MAX_LISTED = 20;

/** Joins up to 20 sentences about a fault with spaces. If there are more, appends the number of omitted sentences. */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
}
