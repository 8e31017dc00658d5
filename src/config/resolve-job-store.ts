import { ALWAYS_ON_KEYS, type ConfigTree, DATABASE_KEYS } from './config-schema';
import { DEFAULT_SQL } from './default-config';
import { nearestName } from './nearest-name';
import { type Problem, type ProblemInput, problemAt } from './problem';
import type { DataSourceConfig, JobStoreConfig } from './scheduler-config';
import { describeValue } from './schema-problems';
import { quoted, type SourceDocument } from './source-document';

/** A job store's configuration, and what is wrong or without effect in it. */
export interface ResolvedJobStore {
  readonly config: JobStoreConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly ignored: readonly { readonly key: string; readonly reason: string }[];
}

type StoreSections = Pick<ConfigTree, 'jobStore' | 'dataSource'> & { readonly database?: string | undefined };

/** Brings class, data source and URL of the store together. */
export function resolveJobStore(written: StoreSections, document: SourceDocument): ResolvedJobStore {
  const problems = shortFormProblems(written, document);
  const tree = withShortForm(written);
  const { jobStore } = tree;
  const { misfireThreshold, maxMisfiresToHandleAtATime } = jobStore;
  const memory: JobStoreConfig = { kind: 'memory', misfireThreshold, maxMisfiresToHandleAtATime };
  const ignored = [...switchedOff(tree), ...unusedKeys(tree, document)];
  if (jobStore.class === 'memory') return { config: memory, problems, warnings: [], ignored };

  const found = findDatabase(tree);
  if ('path' in found)
    return { config: memory, problems: [...problems, problemAt(document, found)], warnings: [], ignored };
  const { kind, dataSource } = found;
  const sql = {
    tablePrefix: jobStore.tablePrefix,
    useProperties: jobStore.useProperties,
    schema: jobStore.schema ?? DEFAULT_SQL.schema[kind],
    clusterCheckinInterval: jobStore.clusterCheckinInterval,
    clusterCheckinGrace: jobStore.clusterCheckinGrace,
    dbRetryInterval: jobStore.dbRetryInterval,
    startTimeout: jobStore.startTimeout,
    storeThread: jobStore.storeThread,
    maxMainStall: jobStore.maxMainStall,
    onLeaseLost: jobStore.onLeaseLost ?? null,
    maxRecoveryAttempts: jobStore.maxRecoveryAttempts,
    dataSource,
  };
  const warnings = jobStore.isClustered === false ? [ALWAYS_CLUSTERED] : [];
  return { config: { ...memory, kind, sql }, problems, warnings, ignored };
}

const ALWAYS_CLUSTERED =
  'jobStore.isClustered is false: a store in a database is always clustered, so a second scheduler on the same tables is simply a second node.';

/** The name of the data source that `database` stands for. */
const SHORT_FORM_NAME = 'database';

/** The sections of the store that the short form `database` stands for; without it, as they are. */
function withShortForm(tree: StoreSections): StoreSections {
  const { database, jobStore, dataSource } = tree;
  if (database === undefined) return tree;
  const url = database.replace(/^jdbc:/, '');
  const URL = /^(mysql|mariadb|sqlite):/.test(url) ? url : `sqlite:${url}`;
  return {
    jobStore: { ...jobStore, class: 'sql', dataSource: SHORT_FORM_NAME, schema: jobStore.schema ?? 'create' },
    dataSource: { ...dataSource, [SHORT_FORM_NAME]: { URL, maxConnections: DEFAULT_SQL.maxConnections } },
  };
}

/** Keys that repeat what `database` already says. */
function shortFormProblems({ database }: StoreSections, document: SourceDocument): readonly Problem[] {
  if (database === undefined) return [];
  const { jobStore = {}, dataSource } = document.data as { readonly jobStore?: object; readonly dataSource?: object };
  const twice = ['class', 'dataSource', 'path'].filter((key) => Object.hasOwn(jobStore, key));
  const paths = [...twice.map((key) => ['jobStore', key]), ...(dataSource === undefined ? [] : [['dataSource']])];
  return paths.map((path) => {
    const message = `expected either database, the short form, or ${path.join('.')}, found both`;
    return problemAt(document, { path, at: 'key', message });
  });
}

type Found = { readonly kind: 'sqlite' | 'mysql'; readonly dataSource: DataSourceConfig } | ProblemInput;

function findDatabase({ jobStore, dataSource: sources }: StoreSections): Found {
  const { class: kind, dataSource: name, path } = jobStore;
  // A data source that could have been written, since commands hand it on to other processes.
  if (name === undefined && kind === 'sqlite')
    return {
      kind,
      dataSource: {
        name: 'sqlite',
        url: `sqlite:${path ?? DEFAULT_SQL.path}`,
        user: null,
        password: null,
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
        names.length === 0 ? 'the name of a data source, and dataSource.<name>.URL' : `one of ${names.join(', ')}`,
      found: describeValue(name),
      suggestion: nearestName(name ?? '', names),
    };
  }
  const url = declared.URL.replace(/^jdbc:/, '');
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'mysql';
  if (kind !== 'sql' && kind !== engine) {
    const expected = `a URL of ${kind}, as jobStore.class says`;
    return { path: ['dataSource', name, 'URL'], expected, found: `one of ${engine}` };
  }
  const { user = null, password = null, maxConnections } = declared;
  return { kind: engine, dataSource: { name, url, user, password, maxConnections } };
}

function switchedOff({ jobStore }: StoreSections) {
  const keys = Object.keys(ALWAYS_ON_KEYS) as (keyof typeof ALWAYS_ON_KEYS)[];
  return keys.filter((key) => !jobStore[key]).map((key) => ({ key: `jobStore.${key}`, reason: 'it is always true' }));
}

/** With the memory store, whatever concerns a database; otherwise the data sources of no store. */
function unusedKeys({ jobStore, dataSource }: StoreSections, { data }: SourceDocument) {
  const isMemory = jobStore.class === 'memory';
  const written = Object.keys((data as { readonly jobStore?: object }).jobStore ?? {});
  const keys = isMemory ? written.filter((key) => Object.hasOwn(DATABASE_KEYS, key)) : [];
  const sources = Object.keys(dataSource).filter((name) => isMemory || name !== jobStore.dataSource);
  return [
    ...keys.map((key) => ({ key: `jobStore.${key}`, reason: 'the memory store has no database' })),
    ...sources.map((name) => ({
      key: `dataSource.${name}`,
      reason: `no job store uses the data source ${quoted(name)}`,
    })),
  ];
}
