import { SystemClock } from '../../../src/base/clock';
import { sleepFor } from '../../../src/base/sleep';
import type { PrivateServer } from '../../support/database/test-database';
import type { Run } from './check-history';
import { Cluster } from './cluster';
import type { NodeProcess } from './node-process';
import type { RestState, Tables } from './tables';
import { expectedTriggers, type Load, schedule } from './workload';

/** What is done to a cluster while it works. */
export type Fault =
  /** `kill -9`; a new node takes its place. */
  | 'kill'
  /** SIGTERM's way: it ends in order; a new node takes its place. */
  | 'leave'
  /** SIGSTOP for longer than its lease, then SIGCONT. */
  | 'freeze'
  /** `kill -9` for the database server, which starts again at once. */
  | 'restartServer';

export interface ChaosPlan {
  readonly loads: readonly Load[];
  /** Milliseconds in which triggers fire. */
  readonly duration: number;
  /** Each after `pause` milliseconds. */
  readonly faults: readonly { readonly fault: Fault; readonly pause: number }[];
  /** Which node each fault is for: any number. */
  readonly choices: readonly number[];
  /** For `restartServer`. */
  readonly server?: PrivateServer;
}

export interface ChaosResult {
  readonly run: Run;
  readonly rest: RestState;
}

const clock = new SystemClock();

/** Waits, for tests whose subject is what real processes do in real time. */
export const pause = (duration: number) => sleepFor(clock, duration, new AbortController().signal);

/** The machine's clock. */
export const now = () => clock.now();

const LEAD = 500;
const FREEZE = 4_000;

/** Lets three nodes work and does to them what the plan says, then lets everything come to rest. */
export async function runChaos(tables: Tables, plan: ChaosPlan): Promise<ChaosResult> {
  const cluster = await Cluster.on(tables);
  try {
    const living = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
    const from = clock.now() + LEAD;
    const to = from + plan.duration;
    const expected = expectedTriggers(plan.loads, from, to);
    await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    for (const [index, { fault, pause: wait }] of plan.faults.entries()) {
      await pause(wait);
      await inflict(fault, { cluster, living, plan, choice: plan.choices[index] ?? 0, next: `n${index + 4}` });
    }
    await pause(to - clock.now());
    await untilQuiet(cluster);
    await cluster.shutdown();
    return { run: await cluster.run(expected), rest: await cluster.restState() };
  } finally {
    await cluster.dispose();
  }
}

interface Situation {
  readonly cluster: Cluster;
  readonly living: NodeProcess[];
  readonly plan: ChaosPlan;
  readonly choice: number;
  readonly next: string;
}

async function inflict(fault: Fault, { cluster, living, plan, choice, next }: Situation): Promise<void> {
  const index = choice % living.length;
  const node = living[index] as NodeProcess;
  switch (fault) {
    case 'kill':
      await cluster.kill(node);
      living[index] = await cluster.start(next);
      break;
    case 'leave':
      await node.command('stop');
      living[index] = await cluster.start(next);
      break;
    case 'freeze':
      cluster.willBeFenced(node);
      node.send('SIGSTOP');
      await pause(FREEZE);
      node.send('SIGCONT');
      break;
    case 'restartServer':
      await plan.server?.restart();
      break;
  }
}

/** All firings done: every trigger of the workload is gone after its last one. */
export async function untilQuiet(cluster: Cluster): Promise<void> {
  const patience = clock.monotonic() + 60_000;
  while (clock.monotonic() < patience) {
    const { states, firedRows } = await cluster.restState();
    if (firedRows === 0 && Object.keys(states).length === 0) return;
    await pause(100);
  }
}
