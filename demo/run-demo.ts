import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, createScheduler, type Scheduler } from 'quartz-ts';
import { Demo } from './demo';
import type { NodeProcess } from './node-process';
import { type DemoPlan, planDemo, scheduleDemo } from './schedule';
import { describeSummary, hasSucceeded } from './summary';
import type { DemoOutput } from './view';

/** Settings from the command line. */
export interface DemoSettings {
  /** Approximate duration from the first start to the summary, in milliseconds. */
  readonly durationMs: number;
  readonly nodes: number;
  /** Database of the tables. Null: a SQLite file that is deleted at the end. */
  readonly database: DemoDatabase | null;
  readonly output: DemoOutput;
  /** Serves a console for a scheduler until it is closed. */
  readonly serve: (scheduler: Scheduler) => Promise<DemoConsole>;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
}

/** A running console of the demo. */
export interface DemoConsole {
  /** URL that opens the console in a browser. */
  readonly pageUrl: string;
  close(): Promise<void>;
}

/** A database that other schedulers may use too. */
export interface DemoDatabase {
  /** Name that no other scheduler has. */
  readonly schedulerName: string;
  /** The sections `jobStore` and `dataSource`. */
  readonly config: Configuration;
  /** Deletes every row of the demo's scheduler. */
  erase(): Promise<void>;
}

/** Time for the nodes to start before the first firing, and for the last jobs to end after the last one. Milliseconds. */
const LEAD_MS = 2_500;
const TAIL_MS = 4_500;

/** Batch window of the demo's nodes, in milliseconds. */
const FIRE_AHEAD_MS = 50;

/** Runs the demo and deletes its stored data. Rejects if it was aborted, or if a node could not start. */
export async function runDemo(settings: DemoSettings) {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-demo-'));
  const { schedulerName, config } = settings.database ?? ownFile(folder);
  const configOf = (instanceId: string) => nodeConfig(schedulerName, instanceId, config);
  try {
    const plan = planDemo(Date.now() + LEAD_MS, settings.durationMs - LEAD_MS - TAIL_MS);
    // Never started, so it fires nothing and is not a node. It stores the schedule, and its console shows the nodes.
    const onlooker = await createScheduler(configOf('planner'));
    try {
      await scheduleDemo(onlooker, plan);
      const summary = await playDemo(settings, { onlooker, plan, configOf });
      return { summary, hasSucceeded: hasSucceeded(summary), sentences: describeSummary(summary) };
    } finally {
      await onlooker.shutdown();
      await erase(settings);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Play {
  readonly onlooker: Scheduler;
  readonly plan: DemoPlan;
  readonly configOf: (instanceId: string) => Configuration;
}

/** Runs the nodes and serves the console. All processes have ended when it settles. */
async function playDemo({ serve, nodes, output, signal }: DemoSettings, { onlooker, plan, configOf }: Play) {
  const processes: NodeProcess[] = [];
  const shown = await serve(onlooker);
  try {
    const parts = { nodes, output, signal, plan, processes, onlooker, consoleUrl: shown.pageUrl };
    return await new Demo(parts).run(configOf);
  } finally {
    for (const node of processes) node.kill();
    await Promise.all(processes.map(({ ended }) => ended));
    await shown.close();
  }
}

const ownFile = (folder: string) => ({
  schedulerName: 'Demo',
  config: { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db') } } satisfies Configuration,
});

/** Configuration of a node that declares a peer dead after 3 s and acquires few triggers at a time, so that every node has work. */
function nodeConfig(instanceName: string, instanceId: string, config: Configuration): Configuration {
  const window = { batchTriggerAcquisitionFireAheadTimeWindow: FIRE_AHEAD_MS };
  return {
    ...config,
    jobStore: { ...config.jobStore, schema: 'create', clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 },
    scheduler: { instanceName, instanceId, logLevel: 'silent', batchTriggerAcquisitionMaxCount: 2, ...window },
    threadPool: { threadCount: 6 },
  };
}

/** Only warns about a failure, which must not hide the result of the demo. */
async function erase({ database, output }: DemoSettings): Promise<void> {
  try {
    await database?.erase();
  } catch (error) {
    output.note(
      `${output.noteStyle('yellow', 'warning:')} the rows of the demo could not be deleted (${(error as Error).message}). ` +
        `They have the SCHED_NAME '${database?.schedulerName}', and do no harm.`,
    );
  }
}
