import { type ConfigTree, configSchema } from './config-schema';
import { DEFAULT_SQL } from './default-config';
import { nearestName } from './nearest-name';
import { type Problem, problemAt } from './problem';
import type { DataSourceConfig, JobStoreConfig, SqlStoreConfig } from './scheduler-config';
import { describeValue } from './schema-problems';
import { metaOf, schemasAt } from './schema-walk';
import { shortFormProblems, withShortForm } from './short-form';
import { quoted, type SourceDocument } from './source-document';

/** A job store's configuration, and what is wrong or without effect in it. */
export interface ResolvedJobStore {
  readonly config: JobStoreConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly ignored: readonly { readonly key: string; readonly reason: string }[];
}

type StoreSections = Pick<ConfigTree, 'jobStore' | 'dataSource'> & { readonly database?: string | undefined };

type Found =
  | { readonly kind: 'sqlite' | 'mysql'; readonly dataSource: DataSourceConfig }
  | { readonly problem: Problem };

/** Brings class, data source and URL of the store together. */
export function resolveJobStore(written: StoreSections, document: SourceDocument): ResolvedJobStore {
  const problems = shortFormProblems(written, document);
  const tree = withShortForm(written);
  const { misfireThreshold, maxMisfiresToHandleAtATime } = tree.jobStore;
  const common = { misfireThreshold, maxMisfiresToHandleAtATime };
  const ignored = [...alwaysOnKeys(tree), ...unusedKeys(tree, document)];
  if (tree.jobStore.class === 'memory')
    return { config: { kind: 'memory', ...common }, problems, warnings: [], ignored };

  const found = findDatabase(tree, document);
  if ('problem' in found)
    return { config: { kind: 'memory', ...common }, problems: [...problems, found.problem], warnings: [], ignored };
  const config = { kind: found.kind, ...common, sql: settingsOf(tree, found.kind, found.dataSource) };
  return { config, problems, warnings: clusterWarnings(tree), ignored };
}

function settingsOf(
  { jobStore }: StoreSections,
  kind: 'sqlite' | 'mysql',
  dataSource: DataSourceConfig,
): SqlStoreConfig {
  return {
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
}

function findDatabase(tree: StoreSections, document: SourceDocument): Found {
  const { class: kind, dataSource: name, path } = tree.jobStore;
  if (name === undefined && kind === 'sqlite') return { kind, dataSource: fileOf(path ?? DEFAULT_SQL.path) };
  if (path !== undefined) {
    const message =
      'expected a path only for jobStore.class sqlite without a data source; the URL of a data source names its file';
    return { problem: problemAt(document, { path: ['jobStore', 'path'], at: 'key', message }) };
  }
  const names = Object.keys(tree.dataSource);
  const declared = name !== undefined && Object.hasOwn(tree.dataSource, name) ? tree.dataSource[name] : undefined;
  if (name === undefined || declared === undefined) {
    const expected =
      names.length === 0 ? 'the name of a data source, and dataSource.<name>.URL' : `one of ${names.join(', ')}`;
    const suggestion = nearestName(name ?? '', names);
    return {
      problem: problemAt(document, {
        path: ['jobStore', 'dataSource'],
        expected,
        found: describeValue(name),
        suggestion,
      }),
    };
  }
  const url = declared.URL.replace(/^jdbc:/, '');
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'mysql';
  if (kind !== 'sql' && kind !== engine) {
    const input = { expected: `a URL of ${kind}, as jobStore.class says`, found: `one of ${engine}` };
    return { problem: problemAt(document, { path: ['dataSource', name, 'URL'], ...input }) };
  }
  const { user = null, password = null, maxConnections } = declared;
  return { kind: engine, dataSource: { name, url, user, password, maxConnections } };
}

/** The data source that `jobStore.path` stands for: one that could have been written, since commands hand it on to other processes. */
function fileOf(path: string): DataSourceConfig {
  const { maxConnections } = DEFAULT_SQL;
  return { name: 'sqlite', url: `sqlite:${path}`, user: null, password: null, maxConnections };
}

/** Switches of Quartz for what is never off here. */
function alwaysOnKeys({ jobStore }: StoreSections) {
  return Object.entries(jobStore).flatMap(([key, value]) => {
    const [schema] = schemasAt(configSchema, ['jobStore', key]);
    const meta = schema === undefined ? {} : metaOf(schema);
    return meta.alwaysOn && value === false ? [{ key: `jobStore.${key}`, reason: 'it is always true' }] : [];
  });
}

/** With the memory store, whatever concerns a database. */
function unusedKeys({ jobStore, dataSource }: StoreSections, { data }: SourceDocument) {
  const written = Object.keys((data as { readonly jobStore?: object }).jobStore ?? {});
  const sources = Object.keys(dataSource).filter((name) => jobStore.class === 'memory' || name !== jobStore.dataSource);
  const unused = sources.map((name) => ({
    key: `dataSource.${name}`,
    reason: `no job store uses the data source ${quoted(name)}`,
  }));
  if (jobStore.class !== 'memory') return unused;
  const keys = written.filter((key) => schemasAt(configSchema, ['jobStore', key]).some((schema) => metaOf(schema).sql));
  return [...keys.map((key) => ({ key: `jobStore.${key}`, reason: 'the memory store has no database' })), ...unused];
}

function clusterWarnings({ jobStore }: StoreSections): readonly string[] {
  if (jobStore.isClustered !== false) return [];
  return [
    'jobStore.isClustered is false: a store in a database is always clustered, so a second scheduler on the same tables is simply a second node.',
  ];
}
