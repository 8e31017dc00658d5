import type { Scheduler } from '../../api/scheduler';
import type { SchedulerControl } from '../../scheduler/control';
import { readClusterFigures } from '../cluster-figures';
import { metricsOf, type NodeMetrics } from './node-metrics';

/** Updates metrics that are read at each scrape. Never rejects. If the store fails, removes the values that come from it, which are outdated. */
export async function collectMetrics(scheduler: Scheduler, control: SchedulerControl): Promise<NodeMetrics> {
  const metrics = metricsOf(scheduler);
  const { registry } = metrics;
  const runtime = control.readRuntime();
  registry.set('quartz_workers', runtime.workers);
  registry.set('quartz_workers_busy', runtime.busyWorkers);
  registry.set('quartz_acquisitions_total', runtime.acquisitions - runtime.emptyAcquisitions, ['found']);
  registry.set('quartz_acquisitions_total', runtime.emptyAcquisitions, ['empty']);
  const health = await scheduler.health();
  registry.set('quartz_started', Number(health.isStarted));
  registry.set('quartz_ready', Number(health.isReady));
  registry.set('quartz_draining', Number(health.isDraining));
  registry.set('quartz_store_up', Number(health.isStoreReachable));
  // Runs before the store's reads, which themselves wait for connections. If this step fails, the counters keep their values.
  await collectActivity(metrics, control).catch(() => undefined);
  await collectFromStore(metrics, scheduler, control).catch(() => forget(metrics));
  return metrics;
}

const labelOf = (connection: string) => connection.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Sets the metrics of the store's connections. Needs no database query. */
async function collectActivity({ registry }: NodeMetrics, control: SchedulerControl): Promise<void> {
  const activity = await control.readStoreActivity();
  if (activity === null) return;
  for (const { connection, open, inUse, waiting, statements, commits } of activity.connections) {
    const labels = [labelOf(connection)];
    registry.set('quartz_store_statements_total', statements, labels);
    registry.set('quartz_store_commits_total', commits, labels);
    registry.set('quartz_store_connections', open, labels);
    registry.set('quartz_store_connections_in_use', inUse, labels);
    registry.set('quartz_store_connections_waiting', waiting, labels);
  }
  registry.set('quartz_trains_total', activity.trains.sent);
  registry.set('quartz_train_firings_total', activity.trains.fired);
  const { counts, sums } = activity.lockWaits;
  registry.setClasses('quartz_lock_wait_seconds', { counts, sums: sums.map((milliseconds) => milliseconds / 1_000) });
}

const FROM_STORE = [
  'quartz_nodes',
  'quartz_lease_age_seconds',
  'quartz_executing',
  'quartz_backlog',
  'quartz_backlog_age_seconds',
  'quartz_dead_letters',
  'quartz_triggers_in_error',
] as const;

function forget({ registry }: NodeMetrics): void {
  for (const name of FROM_STORE) registry.clear(name);
}

async function collectFromStore(metrics: NodeMetrics, scheduler: Scheduler, control: SchedulerControl): Promise<void> {
  const figures = await readClusterFigures(scheduler, control);
  forget(metrics);
  const { registry } = metrics;
  const now = control.now();
  for (const state of ['alive', 'silent', 'draining'] as const) {
    const inState = figures.nodes.filter(
      (node) => state === (node.isDraining && node.state === 'alive' ? 'draining' : node.state),
    );
    registry.set('quartz_nodes', inState.length, [state]);
  }
  const checkedIn = figures.nodes.find(({ isThisNode }) => isThisNode)?.lastCheckInTime ?? null;
  if (checkedIn !== null) registry.set('quartz_lease_age_seconds', Math.max(0, now - checkedIn.getTime()) / 1_000);
  const { waitingSince } = figures;
  registry.set('quartz_executing', figures.executing);
  registry.set('quartz_backlog', figures.backlog.count);
  registry.set('quartz_backlog_age_seconds', waitingSince === null ? 0 : Math.max(0, now - waitingSince) / 1_000);
  registry.set('quartz_dead_letters', figures.deadLetters.count);
  registry.set('quartz_triggers_in_error', figures.inError.count);
}
