import { hostname } from 'node:os';
import { z } from 'zod';
import { newInstanceId, systemRandom } from '../base/ids';
import { addAll } from '../base/lists';
import type { JsonValue } from '../domain/job-data';
import { LIMITS } from '../domain/limits';
import { readSystemTimeZone, unnamedZoneWarning } from '../domain/time/system-time-zone';
import { zoneNameOf } from '../domain/time/zone-name';
import {
  type ConfigEntry,
  entriesOf,
  referenceIn,
  treeDocument,
  withEnvironment,
  withReferences,
} from './config-entries';
import { type ConfigTree, configSchema } from './config-schema';
import { resolveConsole } from './console-section';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { resolveJobStore } from './job-store-section';
import { foreignPlugins, resolvePlugins } from './plugin-section';
import { ConfigurationError, type Problem, problemAt } from './problem';
import { foreignFileProblem, quartzPart } from './properties-of-java';
import { missingDatabase, withDefaultFiles, withoutProviders, withSuppliedDatabase } from './quartz-defaults';
import { canonicalClass, ignoredBecause, ignoredKeysWarning } from './quartz-names';
import { readDocument } from './read-document';
import type { Environment, LoadedConfig, SchedulerConfig } from './scheduler-config';
import { checkDocument, dottedKeys } from './schema-problems';
import { dataDocument, type SourceDocument } from './source-document';

/** Resolves a configuration from a file or an object. Throws a ConfigurationError with the problems of all stages. */
export async function resolveSource(
  source: string | object,
  { env, ...options }: { readonly env: Environment } & ResolveOptions,
): Promise<LoadedConfig> {
  const document =
    typeof source === 'string' ? await readDocument(source) : dataDocument('configuration', source as JsonValue);
  return resolveDocument(document, env, options);
}

export interface ResolveOptions {
  /** False: keys that only a running node needs are ignored. Default: true. */
  readonly isForNode?: boolean;
  /** URL of a database that the program supplies, for a configuration that names none. Null: none. */
  readonly suppliedDatabase?: string | null;
}

/** Matches keys that only a running node needs: the keys of its instance id and of the console. */
const OF_A_NODE = /^(scheduler\.instanceId|console)(Generator)?(\.|$)/;

/** Resolves a document that was already read. Throws a ConfigurationError with the problems of all stages. */
export function resolveDocument(
  document: SourceDocument,
  env: Environment,
  { isForNode = true, suppliedDatabase = null }: ResolveOptions = {},
): LoadedConfig {
  requireMap(document);
  const source = quartzPart(document, inSchema());
  const problems: Problem[] = [];
  const written = entriesOf(source, problems).filter(({ key }) => isForNode || !OF_A_NODE.test(key));
  const { entries: used, ignored, warnings } = withoutIgnored(written);
  const filled = withEnvironment(used, { document: source, env, problems });
  const followed = withReferences(filled, { document: source, problems, isKnown });
  const complete = suppliedDatabase === null ? followed : withSuppliedDatabase(followed, suppliedDatabase);
  const entries = complete
    .filter(({ key }) => ignoredBecause(key) === null)
    .map((entry) => ({ ...entry, value: canonicalClass(entry.key, entry.value) }));
  const tree = treeDocument(source, entries, problems);
  const missing = missingDatabase([...written, ...complete]);
  if (missing !== null) problems.push(problemAt(tree, missing));
  const checked = checkDocument(tree, configSchema);
  const sections = checked.ok ? checked.value : soundSections(tree);
  const { jobStore, dataSource, database, scheduler } = sections;
  const store =
    missing === null && jobStore && dataSource ? resolveJobStore({ jobStore, dataSource, database }, tree) : null;
  const clustered = store !== null && store.config.kind !== 'memory';
  const identity = scheduler ? resolveInstanceId({ scheduler }, { tree, env, clustered }) : null;
  const wrong = [...(checked.ok ? [] : checked.problems), ...(store?.problems ?? []), ...(identity?.problems ?? [])];
  if (problems.length + wrong.length > 0 || !checked.ok || store === null || identity === null)
    throw new ConfigurationError([...problems, ...withoutEchoes(wrong, problems)]);

  const { timeZone } = checked.value.scheduler;
  const zone = timeZone === undefined ? readSystemTimeZone() : { name: zoneNameOf(timeZone), isNamed: true };
  const parts = { source, jobStore: store.config, instanceId: identity.instanceId, timeZone: zone.name };
  return {
    config: deepFrozen(assemble(checked.value, parts)),
    warnings: [
      ...(source.warnings ?? []),
      ...ignoredKeysWarning([...ignored, ...store.ignored]),
      ...warnings,
      ...store.warnings,
      ...unnamedZoneWarning(zone),
    ],
  };
}

/** Returns a function that tells whether the schema has a key. Reads the schema on the first call. */
function inSchema(): (key: string) => boolean {
  let forms: readonly RegExp[] | undefined;
  return (key) => {
    forms ??= dottedKeys(z.toJSONSchema(configSchema, { unrepresentable: 'any' })).map(
      (known) => new RegExp(`^${known.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`),
    );
    return forms.some((form) => form.test(key));
  };
}

/** Removes keys without effect, so that nothing about their values is checked, and adds Quartz's defaults. Keeps keys to which others refer. */
function withoutIgnored(written: readonly ConfigEntry[]) {
  const files = withDefaultFiles(written);
  const sources = withoutProviders(files.entries);
  const foreign = foreignPlugins(sources.entries);
  const ignored = [...sources.ignored];
  const referenced = new Set(written.map(({ value }) => referenceIn(value)));
  const entries = sources.entries.filter(({ key }) => {
    const reason = ignoredBecause(key);
    if (reason !== null) ignored.push({ key, reason });
    return (reason === null && !foreign.some((plugin) => key.startsWith(`${plugin}.`))) || referenced.has(key);
  });
  addAll(
    ignored,
    foreign.map((key) => ({ key, reason: 'pass your own plugins in code, as `plugins`' })),
  );
  return { entries, ignored, warnings: files.warnings };
}

/** Returns the sections that are valid on their own. Checks across sections can then run even if another section is invalid. */
function soundSections({ data }: SourceDocument): Partial<ConfigTree> {
  const sections = Object.entries(configSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse((data as Readonly<Record<string, unknown>>)[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  return Object.fromEntries(sections) as Partial<ConfigTree>;
}

/** Returns the problems at positions without an earlier problem. A second problem at the same position is a consequence of the first one. */
function withoutEchoes(problems: readonly Problem[], earlier: readonly Problem[]): readonly Problem[] {
  const placeOf = ({ line, column, path }: Problem) => (line === null ? path : `${line}:${column}`);
  const known = new Set(earlier.map(placeOf));
  return problems.filter((problem) => !known.has(placeOf(problem)));
}

function requireMap(document: SourceDocument): void {
  const foreign = foreignFileProblem(document, Object.keys(configSchema.shape));
  if (foreign !== null) throw new ConfigurationError([foreign]);
  if (typeof document.data === 'object' && document.data !== null && !Array.isArray(document.data)) return;
  const found = document.data === null ? 'an empty file' : Array.isArray(document.data) ? 'a list' : 'a single value';
  throw new ConfigurationError([
    problemAt(document, { path: [], expected: "a map of keys such as 'threadPool'", found }),
  ]);
}

function isKnown(key: string): boolean {
  return Object.hasOwn(configSchema.shape, key.split('.')[0] ?? '') || ignoredBecause(key) !== null;
}

interface Surroundings {
  readonly tree: SourceDocument;
  readonly env: Environment;
  /** True for database stores, which require a different instance id for each node. */
  readonly clustered: boolean;
}

/** Returns the instance id: as configured, generated (`AUTO`), or from an environment variable (`SYS_PROP`). */
function resolveInstanceId(
  { scheduler }: Pick<ConfigTree, 'scheduler'>,
  { tree, env, clustered }: Surroundings,
): { readonly instanceId: string; readonly problems: readonly Problem[] } {
  const { systemPropertyName, prepend = '', postpend = '', ...generator } = scheduler.instanceIdGenerator;
  const written = scheduler.instanceId ?? (clustered ? 'AUTO' : DEFAULT_CONFIG.instanceId);
  const kind = written === 'SYS_PROP' ? 'environment' : generator.class;
  if (written !== 'AUTO' && written !== 'SYS_PROP') return { instanceId: written, problems: [] };
  switch (kind) {
    case 'simple':
      return { instanceId: newInstanceId(systemRandom), problems: [] };
    case 'hostname':
      return bounded(hostname(), tree);
    case 'environment': {
      const capitals = systemPropertyName.toUpperCase().replace(/[^A-Z0-9]/g, '_');
      const value = variable(env, systemPropertyName) ?? variable(env, capitals);
      if (value !== undefined && value !== '') return bounded(`${prepend}${value}${postpend}`, tree);
      const message = `expected the instance id in the environment variable ${capitals}, but it is not set; set it, or use AUTO`;
      return { instanceId: '', problems: [problemAt(tree, { path: ['scheduler', 'instanceId'], message })] };
    }
  }
}

function variable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** Returns a generated id, or a problem if the id is too long for its column. */
function bounded(instanceId: string, tree: SourceDocument): ReturnType<typeof resolveInstanceId> {
  const { length } = [...instanceId];
  if (length <= LIMITS.instanceId) return { instanceId, problems: [] };
  const message = `expected an instance id of at most ${LIMITS.instanceId} characters, found a generated one of ${length}; use a shorter prepend, postpend or host name`;
  return { instanceId: '', problems: [problemAt(tree, { path: ['scheduler', 'instanceId'], message })] };
}

function assemble(
  tree: ConfigTree,
  parts: { readonly source: SourceDocument } & Pick<SchedulerConfig, 'jobStore' | 'instanceId' | 'timeZone'>,
): SchedulerConfig {
  const { instanceIdGenerator, jobFactory, timeZone, retry, rules, clockChanges, ...scheduler } = tree.scheduler;
  const { class: pool, threadCount, workerThreads = threadCount, groupLimits: ofNode } = tree.threadPool;
  const { historyGroups: historyOfGroups, groupLimits } = tree.jobStore;
  // The default depends on the store: the memory store has no transactions that firings could share.
  const window = (parts.jobStore.kind === 'memory' ? DEFAULT_CONFIG : DEFAULT_SQL)
    .batchTriggerAcquisitionFireAheadTimeWindow;
  return {
    ...scheduler,
    batchTriggerAcquisitionFireAheadTimeWindow: scheduler.batchTriggerAcquisitionFireAheadTimeWindow ?? window,
    policy: {
      retry: retry ?? DEFAULT_CONFIG.policy.retry,
      history: tree.jobStore.history,
      ...(rules === 'quartz' && { rules }),
      ...(clockChanges === 'natural' && { defaultClockChanges: clockChanges }),
      ...(historyOfGroups !== undefined && { historyOfGroups }),
      ...(groupLimits !== undefined && { groupLimits }),
    },
    instanceId: parts.instanceId,
    timeZone: parts.timeZone,
    timeZoneDefaulted: timeZone === undefined,
    context: tree.context.key,
    threadPool:
      pool === 'zeroSize'
        ? NO_THREADS
        : { kind: pool, threadCount, workerThreads, ...(ofNode !== undefined && { groupLimits: ofNode }) },
    jobStore: parts.jobStore,
    alerts: { lateAfterMs: tree.alerts.lateAfter ?? null, stuckAfterMs: tree.alerts.stuckAfter ?? null },
    console: resolveConsole(tree.console, parts.source.file),
    plugins: resolvePlugins(tree.plugin, parts.source.file),
  };
}

const NO_THREADS = { kind: 'zeroSize', threadCount: 0, workerThreads: 0 } as const;

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) deepFrozen(each);
  return Object.freeze(value);
}
