import { userInfo } from 'node:os';
import { pino } from 'pino';
import type { Scheduler } from '../../api/scheduler';
import { SystemClock } from '../../base/clock';
import { systemRandom } from '../../base/ids';
import { printable } from '../../base/printable';
import { sleepFor } from '../../base/sleep';
import type { LoadedConfig } from '../../config/scheduler-config';
import { sameRules, withRules } from '../../domain/rules';
import type { Actor } from '../../operations/operation';
import { perform } from '../../operations/perform';
import { assemble } from '../../scheduler/assemble';
import { controlOf, type SchedulerControl } from '../../scheduler/control';
import type { CommandContext } from '../command';
import { databaseConfig, databaseOf, warn } from '../database-options';
import { usageError } from '../exit-codes';
import type { Followed, RunUpdate, Target, TargetOptions } from './target';

/**
 * Opens a scheduler through its database, while other processes may run it. It is never started: it fires nothing and is not a node of the cluster.
 * Rejects with CommandFailure, STORE_FAILURE or SCHEMA_MISMATCH.
 */
export async function openStoreTarget(options: TargetOptions, context: CommandContext): Promise<Target> {
  const configured = await configOf(options, context);
  const loaded = asObserver(configured, { ...options, scheduler: await schedulerOf(configured, options) });
  for (const warning of loaded.warnings) warn(context.output, printable(warning), options.json);
  const { scheduler, control } = await openObserver(loaded, options);
  const { signal } = new AbortController();
  const actor = currentUser();
  const clock = new SystemClock();
  return {
    perform: (request) => perform(request, { scheduler, control, actor, signal }),
    followLines: (runId, report, until) => followLines(control, { runId, report, until }),
    untilChange: (until) => sleepFor(clock, INTERVAL_MS, until),
    close: () => scheduler.shutdown(),
  };
}

/** Opens a scheduler that computes fire times by the rules of its nodes, whatever the configuration of the command says. */
async function openObserver(
  { config }: LoadedConfig,
  { allowsDamagedTables }: TargetOptions,
): Promise<{ readonly scheduler: Scheduler; readonly control: SchedulerControl }> {
  const { scheduler } = await assemble(
    { config, warnings: [] },
    { logger: pino({ level: 'silent' }), unref: false, isObserver: true },
  );
  const control = controlOf(scheduler) as SchedulerControl; // not null, because `assemble` created the scheduler
  if (allowsDamagedTables === true) return { scheduler, control };
  const rules = await control.readRules().catch(async (error: unknown) => {
    await scheduler.shutdown();
    throw error;
  });
  if (rules === null || sameRules(rules, control)) return { scheduler, control };
  await scheduler.shutdown();
  return openObserver({ config: { ...config, policy: withRules(config.policy, rules) }, warnings: [] }, {});
}

/** Interval in milliseconds after which `untilChange` resolves, because a store does not report changes. */
const INTERVAL_MS = 1_000;

async function followLines(
  control: SchedulerControl,
  { runId, report, until }: { runId: string; report: (update: RunUpdate) => void; until: AbortSignal },
): Promise<Followed> {
  let seen = 0;
  const onNews = ({ first, lines, progress }: Parameters<Parameters<SchedulerControl['followRun']>[1]>[0]) => {
    if (first > seen) report({ type: 'gap', lines: first - seen });
    for (const { at, level, message, data } of lines) {
      report({ type: 'line', line: { at: at.toISOString(), level, message, data } });
    }
    seen = first + lines.length;
    if (progress !== null)
      report({ type: 'progress', progress: { ...progress, at: new Date(progress.at).toISOString() } });
  };
  // Ignores an error: the next poll fails too and reports it.
  const hasEnded = await control.followRun(runId, onNews, until).catch(() => false);
  return { isWhole: hasEnded && !until.aborted, lines: seen };
}

const HELD_BY_A_PROCESS =
  'whose data exists only in the process that runs it. If that process serves a console, use --server with its address';

async function configOf(options: TargetOptions, context: CommandContext): Promise<LoadedConfig> {
  const loaded = await databaseConfig(options, context);
  if (loaded === null) throw usageError('expected --config <file> or --url <url>.');
  databaseOf(loaded, options, HELD_BY_A_PROCESS);
  return loaded;
}

/**
 * Returns the name of the scheduler to open. A URL names none, so the only scheduler of its database is meant. Rejects with CommandFailure if the name
 * would be that of a new scheduler, because a command would then change nothing that any node runs. A configuration file may name a new one.
 */
async function schedulerOf(
  { config }: LoadedConfig,
  { url, scheduler, allowsDamagedTables }: TargetOptions,
): Promise<string | undefined> {
  const { sql } = config.jobStore;
  if (sql === undefined || (url === undefined && scheduler === undefined)) return scheduler;
  const { storedSchedulers } = await import('../../scheduler/database-tools');
  const names = await storedSchedulers(sql);
  if (names === null) return scheduler; // the check of the tables reports what is missing
  if (names.length === 0 && allowsDamagedTables === true) return scheduler; // the doctor examines tables before a scheduler uses them
  const [only, ...others] = names;
  const shown = names.map((name) => `'${name}'`).join(', ');
  if (only === undefined) throw usageError('expected a database with a scheduler, found none. Start one first.');
  if (scheduler !== undefined) {
    if (names.includes(scheduler)) return scheduler;
    throw usageError(`expected --scheduler with a name that the database contains (${shown}), found '${scheduler}'.`);
  }
  if (others.length === 0) return only;
  throw usageError(`expected --scheduler <name>, because the database contains several schedulers: ${shown}.`);
}

/** Returns the configuration for an observer: with a unique instance id, without plugins, and without creating tables. */
function asObserver(
  { config, warnings }: LoadedConfig,
  { scheduler, allowsDamagedTables }: TargetOptions,
): LoadedConfig {
  const { jobStore } = config;
  const schema = allowsDamagedTables === true ? 'never' : 'validate';
  const sql = jobStore.sql && ({ ...jobStore.sql, schema, storeThread: false, startTimeout: 0 } as const);
  return {
    config: {
      ...config,
      instanceName: scheduler ?? config.instanceName,
      instanceId: `command-${systemRandom.token(12)}`,
      plugins: [],
      jobStore: { ...jobStore, ...(sql === undefined ? {} : { sql }) },
    },
    warnings,
  };
}

/** Returns the actor for the action log. Its role is admin, because access to the database implies every permission. */
function currentUser(): Actor {
  return { name: userName().slice(0, 190), role: 'admin', via: 'command', from: null };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`; // some users, for example in containers, have no entry in the user database
  }
}
