import { z } from 'zod';
import { DAY_MS } from '../base/clock';
import { DATABASE_KINDS, DATABASE_NAMES, type DatabaseName } from '../base/database-kinds';
import { readDatabaseUrl, urlOfUrlOrPath } from '../base/database-url';
import { nearestName } from '../base/nearest-name';
import { type dataSourceSchema, fewConnectionsWarning, MIN_CONNECTIONS } from './data-source-section';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { HISTORY_KEYS, historyOf } from './history-keys';
import { type Problem, type ProblemInput, problemAt } from './problem';
import { JOB_STORES } from './quartz-names';
import type { DataSourceConfig, JobStoreConfig } from './scheduler-config';
import { describeValue } from './schema-problems';
import { duration, flag, groupLimits, nameOf, text, textLike, wholeNumber } from './schema-values';
import { quoted, type SourceDocument } from './source-document';

/** Keys of `jobStore` that apply only to database stores. */
const DATABASE_KEYS = {
  dataSource: text(120).optional().describe('Name of the data source that contains the tables, a key of `dataSource`.'),
  path: text(4_096)
    .optional()
    .describe(
      `File of a \`sqlite\` store without a data source, relative to the working directory. Default: \`${DEFAULT_SQL.path}\`.`,
    ),
  tablePrefix: textLike(
    /^([A-Za-z0-9_$]{1,64}\.)?[A-Za-z0-9_$]{0,30}$/,
    'letters, digits and _ (at most 30), optionally after a schema and a dot',
  )
    .default(DEFAULT_SQL.tablePrefix)
    .describe('Prefix of the table names.'),
  schema: z
    .enum(['never', 'validate', 'create', 'migrate'])
    .optional()
    .describe(
      'Handling of the tables at start. `never`: they are neither checked nor changed. `validate`: they are checked. `create`: missing tables are created. `migrate`: older ' +
        `tables are also updated. Tables are never dropped. Default: ${DATABASE_NAMES.map((name) => `\`${DATABASE_KINDS[name].schema}\` for \`${name}\``).join(', ')}.`,
    ),
  useProperties: flag()
    .default(DEFAULT_SQL.useProperties)
    .describe(
      'Store job data as Java Properties text. String values only. Must be the same on all nodes, including those of Java.',
    ),
  dbRetryInterval: wholeNumber(100, DAY_MS)
    .default(DEFAULT_SQL.dbRetryInterval)
    .describe('Longest pause between two attempts to store completions or misfires, in milliseconds.'),
  isClustered: flag()
    .optional()
    .describe('A store in a database is always clustered; `false` is accepted with a warning.'),
  clusterCheckinInterval: wholeNumber(500, DAY_MS)
    .default(DEFAULT_SQL.clusterCheckinInterval)
    .describe('Interval of the check-ins with which a node shows that it is alive, in milliseconds.'),
  clusterCheckinGrace: wholeNumber(500, DAY_MS)
    .default(DEFAULT_SQL.clusterCheckinGrace)
    .describe('Delay of a check-in after which the node counts as failed, in milliseconds.'),
  startTimeout: wholeNumber(0, DAY_MS)
    .default(DEFAULT_SQL.startTimeout)
    .describe(
      'Maximum time that each step of the start waits for a database that is unreachable or locked by other nodes, in milliseconds, for example when containers start together. Other errors end the start immediately.',
    ),
  storeThread: flag()
    .default(DEFAULT_SQL.storeThread)
    .describe(
      'Run the store in its own thread, so that a job that blocks the main thread neither holds a lock nor misses a check-in. ' +
        'Use `false` for debuggers.',
    ),
  maxMainStall: wholeNumber(0, DAY_MS)
    .default(DEFAULT_SQL.maxMainStall)
    .describe(
      'How long jobs may block the main thread, while non-concurrent jobs run, before the node counts as hung and loses ' +
        'its lease, in milliseconds. `0`: no limit.',
    ),
  yieldAfterStall: wholeNumber(0, DAY_MS)
    .default(DEFAULT_SQL.yieldAfterStall)
    .describe(
      'A node whose main thread was blocked for longer than this, in milliseconds, leaves triggers to the other nodes for a while. ' +
        '`0`: never.',
    ),
  onLeaseLost: z
    .enum(['abort', 'exit-process'])
    .optional()
    .describe(
      'Action of a node that could not check in in time. `abort`: aborts its jobs and rejoins the cluster. `exit-process`: ends its process. ' +
        'Default: `abort`; for `quartz run`, `exit-process`.',
    ),
  writers: z
    .enum(['one', 'several'])
    .default(DEFAULT_SQL.writers)
    .describe(
      'Servers of a database cluster (Galera, group replication) to which nodes write. `one`: all nodes use the same server. `several`: nodes may use ' +
        'different servers; each transaction of the schedule then also changes a row of its lock. Must be the same on all nodes.',
    ),
  maxRecoveryAttempts: wholeNumber(0, 1_000)
    .default(DEFAULT_SQL.maxRecoveryAttempts)
    .describe('Maximum number of recoveries of one firing if each node that runs it dies.'),
};

const alwaysOn = (fact: string) => flag().default(true).describe(`Quartz switch without effect: ${fact}`);

/** Quartz switches for features that this library always enables. */
export const ALWAYS_ON_KEYS = {
  useDBLocks: alwaysOn('rows are always locked.'),
  lockOnInsert: alwaysOn('rows are always locked.'),
  acquireTriggersWithinLock: alwaysOn('triggers are always acquired under the lock.'),
  doubleCheckLockMisfireHandler: alwaysOn('misfires are always searched for before the lock is taken.'),
  useEnhancedStatements: alwaysOn('rows are always read and written in batches.'),
};

export const jobStoreSchema = z.strictObject({
  class: nameOf(JOB_STORES)
    .default(DEFAULT_CONFIG.jobStore.kind)
    .describe(
      [
        '`memory`: data is lost when the process ends.',
        ...DATABASE_NAMES.map((name) => `\`${name}\`: ${DATABASE_KINDS[name].sentence}.`),
        '`sql`: the database that the URL of the data source names.',
      ].join(' '),
    ),
  misfireThreshold: wholeNumber(1, 365 * DAY_MS)
    .default(DEFAULT_CONFIG.jobStore.misfireThreshold)
    .describe('Lateness after which a trigger counts as misfired, in milliseconds.'),
  maxMisfiresToHandleAtATime: wholeNumber(1, 100_000)
    .default(DEFAULT_CONFIG.jobStore.maxMisfiresToHandleAtATime)
    .describe('Maximum number of misfired triggers handled in one transaction.'),
  acquireOrder: z
    .enum(['time', 'priority'])
    .default('time')
    .describe(
      'Order in which due triggers fire. `time`: by fire time, then by priority. `priority`: by priority, which rises while a trigger ' +
        'waits. In a database `priority` needs an additional index, which is created at start if `jobStore.schema` allows it.',
    ),
  priorityAgeing: duration('366d', 1)
    .prefault('PT1M')
    .describe(
      'With `jobStore.acquireOrder: priority`: waiting time after which the priority of a trigger rises by one, so that every trigger fires eventually.',
    ),
  groupLimits: groupLimits(1)
    .optional()
    .describe(
      'Maximum number of concurrent runs per job group in the whole cluster, such as `{ reports: 5, mail: 20 }`. Must be the same on all nodes. ' +
        'Default: no limits.',
    ),
  ...HISTORY_KEYS,
  ...DATABASE_KEYS,
  ...ALWAYS_ON_KEYS,
});

interface ResolvedJobStore {
  readonly config: JobStoreConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly ignored: readonly { readonly key: string; readonly reason: string }[];
}

interface StoreSections {
  readonly jobStore: z.output<typeof jobStoreSchema>;
  readonly dataSource: Readonly<Record<string, z.output<typeof dataSourceSchema>>>;
  readonly database?: string | undefined;
}

export function resolveJobStore(written: StoreSections, document: SourceDocument): ResolvedJobStore {
  const problems = shortFormProblems(written, document);
  const tree = withShortForm(written);
  const { jobStore } = tree;
  const { misfireThreshold, maxMisfiresToHandleAtATime } = jobStore;
  const orderByPriority = jobStore.acquireOrder === 'priority';
  const priorityAgeing = orderByPriority ? jobStore.priorityAgeing : null;
  const memory: JobStoreConfig = {
    kind: 'memory',
    misfireThreshold,
    maxMisfiresToHandleAtATime,
    priorityAgeing,
    history: historyOf(jobStore),
  };
  const ignored = [...switchedOff(tree), ...unusedKeys(tree, document)];
  if (jobStore.class === 'memory') return { config: memory, problems, warnings: [], ignored };

  const found = findDatabase(tree);
  if ('path' in found)
    return { config: memory, problems: [...problems, problemAt(document, found)], warnings: [], ignored };
  const { kind, dataSource } = found;
  const sql = {
    tablePrefix: jobStore.tablePrefix,
    useProperties: jobStore.useProperties,
    schema: jobStore.schema ?? DATABASE_KINDS[kind].schema,
    clusterCheckinInterval: jobStore.clusterCheckinInterval,
    clusterCheckinGrace: jobStore.clusterCheckinGrace,
    dbRetryInterval: jobStore.dbRetryInterval,
    startTimeout: jobStore.startTimeout,
    storeThread: jobStore.storeThread,
    maxMainStall: jobStore.maxMainStall,
    yieldAfterStall: jobStore.yieldAfterStall,
    onLeaseLost: jobStore.onLeaseLost ?? null,
    writers: jobStore.writers,
    maxRecoveryAttempts: jobStore.maxRecoveryAttempts,
    orderByPriority,
    dataSource,
  };
  const warnings = [
    ...(jobStore.isClustered === false ? [ALWAYS_CLUSTERED] : []),
    ...fewConnectionsWarning(kind, tree.dataSource[dataSource.name], dataSource.name),
  ];
  return { config: { ...memory, kind, sql }, problems, warnings, ignored };
}

const ALWAYS_CLUSTERED =
  'jobStore.isClustered is false: a store in a database is always clustered, so a second scheduler on the same tables is a second node.';

/** Name of the data source to which the short form `database` expands. */
const SHORT_FORM_NAME = 'database';

/** Expands the short form `database` to `jobStore` and `dataSource`. Without `database`, returns the sections unchanged. */
function withShortForm(tree: StoreSections): StoreSections {
  const { database, jobStore, dataSource } = tree;
  if (database === undefined) return tree;
  const URL = urlOfUrlOrPath(database);
  return {
    jobStore: { ...jobStore, class: 'sql', dataSource: SHORT_FORM_NAME, schema: jobStore.schema ?? 'create' },
    dataSource: { ...dataSource, [SHORT_FORM_NAME]: { URL, maxConnections: DEFAULT_SQL.maxConnections } },
  };
}

/** Reports keys that contradict the short form `database`. */
function shortFormProblems({ database }: StoreSections, document: SourceDocument): readonly Problem[] {
  if (database === undefined) return [];
  const { jobStore = {}, dataSource } = document.data as { readonly jobStore?: object; readonly dataSource?: object };
  const twice = ['class', 'dataSource', 'path'].filter((key) => Object.hasOwn(jobStore, key));
  const paths = [...twice.map((key) => ['jobStore', key]), ...(dataSource === undefined ? [] : [['dataSource']])];
  return paths.map((path) => {
    const message = `expected either database (the short form) or ${path.join('.')}, found both`;
    return problemAt(document, { path, at: 'key', message });
  });
}

type FoundDatabase = { readonly kind: DatabaseName; readonly dataSource: DataSourceConfig };
type Found = FoundDatabase | ProblemInput;

function findDatabase({ jobStore, dataSource: sources }: StoreSections): Found {
  const { class: kind, dataSource: name, path } = jobStore;
  // Returns a complete data source that is also valid in a configuration file, because commands pass the data source to other processes.
  if (name === undefined && kind === 'sqlite')
    return {
      kind,
      dataSource: {
        name: 'sqlite',
        url: `sqlite:${path ?? DEFAULT_SQL.path}`,
        user: null,
        password: null,
        passwordFile: null,
        maxConnections: DEFAULT_SQL.maxConnections,
      },
    };
  if (path !== undefined) {
    const message =
      'expected a path only for jobStore.class sqlite without a data source; the URL of a data source names its file';
    return { path: ['jobStore', 'path'], at: 'key', message };
  }
  const names = Object.keys(sources);
  const declared = name !== undefined && Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (name === undefined || declared === undefined) {
    return {
      path: ['jobStore', 'dataSource'],
      expected:
        names.length === 0
          ? 'the name of a data source that dataSource.<name>.URL defines'
          : `the name of a data source (${names.join(', ')})`,
      found: describeValue(name),
      suggestion: nearestName(name ?? '', names),
    };
  }
  const { url, kind: engine } = readDatabaseUrl(declared.URL);
  if (kind !== 'sql' && kind !== engine) {
    const expected = `a ${kind} URL, because jobStore.class is ${kind}`;
    return { path: ['dataSource', name, 'URL'], expected, found: `a ${engine} URL` };
  }
  const { user = null, password = null, passwordFile = null } = declared;
  const maxConnections = Math.max(MIN_CONNECTIONS, declared.maxConnections);
  if (password !== null && passwordFile !== null) {
    const message = 'expected either password or passwordFile, found both';
    return { path: ['dataSource', name, 'passwordFile'], at: 'key', message };
  }
  return { kind: engine, dataSource: { name, url, user, password, passwordFile, maxConnections } };
}

function switchedOff({ jobStore }: StoreSections) {
  const keys = Object.keys(ALWAYS_ON_KEYS) as (keyof typeof ALWAYS_ON_KEYS)[];
  return keys.filter((key) => !jobStore[key]).map((key) => ({ key: `jobStore.${key}`, reason: 'it is always true' }));
}

/** Returns unused keys with reasons: database keys of a memory store, unused data sources, `priorityAgeing` without `acquireOrder: priority`. */
function unusedKeys({ jobStore, dataSource }: StoreSections, { data }: SourceDocument) {
  const isMemory = jobStore.class === 'memory';
  const written = Object.keys((data as { readonly jobStore?: object }).jobStore ?? {});
  const keys = isMemory ? written.filter((key) => Object.hasOwn(DATABASE_KEYS, key)) : [];
  const ages = written.includes('priorityAgeing') && jobStore.acquireOrder === 'time';
  const sources = Object.keys(dataSource).filter((name) => isMemory || name !== jobStore.dataSource);
  return [
    ...keys.map((key) => ({ key: `jobStore.${key}`, reason: 'the memory store has no database' })),
    ...(ages ? [{ key: 'jobStore.priorityAgeing', reason: 'jobStore.acquireOrder is time' }] : []),
    ...sources.map((name) => ({
      key: `dataSource.${name}`,
      reason: `no job store uses the data source ${quoted(name)}`,
    })),
  ];
}
