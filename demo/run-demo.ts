import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, createScheduler, type Scheduler } from 'quartz-ts';
import { Demo } from './demo';
import { runInMemory } from './run-in-memory';
import { type DemoPlan, planDemo, scheduleDemo } from './schedule';
import { type DemoSummary, describeSummary, hasSucceeded } from './summary';
import type { DemoOutput } from './view';

/** Database of a scheduler whose name no other one has. `erase` deletes its rows. */
interface DemoDatabase {
  readonly schedulerName: string;
  readonly config: Configuration;
  erase(): Promise<void>;
}

/** Settings from the command line. */
export interface DemoSettings {
  /** Approximate duration from the first start to the summary, in milliseconds. */
  readonly durationMs: number;
  readonly nodes: number;
  /** Null: a SQLite file that is deleted at the end. `memory`: no database, and one node in this process. */
  readonly database: DemoDatabase | 'memory' | null;
  readonly output: DemoOutput;
  /** Serves a console for a scheduler until it is closed. `pageUrl` opens it in a browser. */
  readonly serve: (scheduler: Scheduler) => Promise<{ readonly pageUrl: string; close(): Promise<void> }>;
  /** Aborts the demo. */
  readonly signal: AbortSignal;
}

/** Time for the nodes to start before the first firing, and for the last jobs to end after the last one. Milliseconds. */
const LEAD_MS = 2_500;
const TAIL_MS = 4_500;

/** Runs the demo. Rejects if it was aborted, or if a node could not start. All its processes have ended when it settles. */
export async function runDemo(settings: DemoSettings) {
  const { database, durationMs } = settings;
  const plan = planDemo(Date.now() + LEAD_MS, durationMs - LEAD_MS - TAIL_MS);
  const summary = await (database === 'memory' ? runInMemory(settings, plan) : runCluster(settings, database, plan));
  return { summary, hasSucceeded: hasSucceeded(summary), sentences: describeSummary(summary) };
}

async function runCluster(settings: DemoSettings, database: DemoDatabase | null, plan: DemoPlan): Promise<DemoSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-demo-'));
  const file = { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db') } } satisfies Configuration;
  const { schedulerName, config } = database ?? { schedulerName: 'Demo', config: file };
  const configOf = (instanceId: string) => nodeConfig(schedulerName, instanceId, config);
  try {
    // Never started, so it fires nothing and is not a node. It stores the schedule, and its console shows the nodes.
    const onlooker = await createScheduler(configOf('planner'));
    try {
      await scheduleDemo(onlooker, plan);
      return await playDemo(settings, { plan, onlooker, configOf });
    } finally {
      await onlooker.shutdown();
      await database?.erase();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playDemo(
  { nodes, output, serve, signal }: DemoSettings,
  {
    plan,
    onlooker,
    configOf,
  }: { plan: DemoPlan; onlooker: Scheduler; configOf: (instanceId: string) => Configuration },
): Promise<DemoSummary> {
  const shown = await serve(onlooker);
  output.line(`Console: ${shown.pageUrl}`);
  const demo = new Demo({ plan, output, onlooker, signal });
  const names = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
  try {
    return await demo.run(new Map(names.map((name) => [name, configOf(name)])));
  } finally {
    await demo.end();
    await shown.close();
  }
}

/** Configuration of a node that declares a peer dead after 3 s and acquires few triggers at a time, so that every node has work. */
function nodeConfig(instanceName: string, instanceId: string, config: Configuration): Configuration {
  return {
    ...config,
    jobStore: { ...config.jobStore, schema: 'create', clusterCheckinInterval: 1_000, clusterCheckinGrace: 2_000 },
    scheduler: { instanceName, instanceId, logLevel: 'silent', batchTriggerAcquisitionMaxCount: 2 },
    threadPool: { threadCount: 6 },
  };
}
