/** What may be wrong with a database itself. Stable for ever. */
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

/** Something that is not as the scheduler needs it. */
export interface DatabaseFault {
  readonly id: (typeof DATABASE_FAULTS)[number];
  /** `problem`: something does not fire; `warning`: something may not, before long; `note`: worth to know. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly expected: string;
  readonly found: string;
  /** What to do about it. */
  readonly advice: string;
}

/** What a database says of itself, whether right or wrong. */
export interface DatabaseFact {
  readonly section: 'schema' | 'statements' | 'server' | 'connections';
  readonly name: string;
  readonly value: string;
}

export interface DatabaseReport {
  /** At most one of each id. */
  readonly faults: readonly DatabaseFault[];
  readonly facts: readonly DatabaseFact[];
  /** The database's clock minus this machine's, as far as one reading tells. Milliseconds. */
  readonly clockOffset: number;
}

/** What each node's clock was when it last checked in. */
export interface NodeClock {
  readonly instanceId: string;
  /** The database's clock minus the node's. Milliseconds. */
  readonly offset: number;
}

/** Looks at a database as somebody who is to find out what is wrong with it. Joins no cluster. */
export interface DatabaseExaminer {
  /** `nodes`: how many share the database. `isSqlShown` (default false): the facts include every statement of the store. Rejects with STORE_FAILURE. */
  examine(nodes: number, isSqlShown?: boolean): Promise<DatabaseReport>;
  /** Makes the indexes that are missing, while no other node changes the tables; their statements. Rejects with STORE_FAILURE. */
  createMissingIndexes(): Promise<readonly string[]>;
  /** Writes the log of an embedded database into its file, and empties it. False: somebody reads it, or there is none. */
  truncateLog(): Promise<boolean>;
}

const MAX_LISTED = 20;

/** Sentences of a fault, at most 20 of them. */
export function listed(texts: readonly string[]): string {
  const rest = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
}
