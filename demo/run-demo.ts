import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, createScheduler, type Scheduler } from 'quartz-ts';
import { Demo } from './demo';
import { planDemo, scheduleDemo } from './schedule';
import { type DemoSummary, describeSummary, hasSucceeded } from './summary';
import type { DemoOutput } from './view';

/** Settings from the command line. */
export interface DemoSettings {
  /** Approximate duration from the first start to the summary, in milliseconds. */
  readonly durationMs: number;
  readonly nodes: number;
  /** Database of a scheduler whose name no other one has. `erase` deletes its rows. Null: a SQLite file that is deleted at the end. */
  readonly database: { readonly schedulerName: string; readonly config: Configuration; erase(): Promise<void> } | null;
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
  const folder = mkdtempSync(join(tmpdir(), 'quartz-demo-'));
  const file = { jobStore: { class: 'sqlite', path: join(folder, 'quartz.db') } } satisfies Configuration;
  const { schedulerName, config } = settings.database ?? { schedulerName: 'Demo', config: file };
  const configOf = (instanceId: string) => nodeConfig(schedulerName, instanceId, config);
  try {
    // Never started, so it fires nothing and is not a node. It stores the schedule, and its console shows the nodes.
    const onlooker = await createScheduler(configOf('planner'));
    try {
      const summary = await playDemo(settings, onlooker, configOf);
      return { summary, hasSucceeded: hasSucceeded(summary), sentences: describeSummary(summary) };
    } finally {
      await onlooker.shutdown();
      await settings.database?.erase();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function playDemo(
  { durationMs, nodes, output, serve, signal }: DemoSettings,
  onlooker: Scheduler,
  configOf: (instanceId: string) => Configuration,
): Promise<DemoSummary> {
  const plan = planDemo(Date.now() + LEAD_MS, durationMs - LEAD_MS - TAIL_MS);
  await scheduleDemo(onlooker, plan);
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
