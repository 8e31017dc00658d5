import { LOCK_WAIT_BOUNDS_MS } from '../../store/store-activity';

/** Definition of a Prometheus metric. The names of metrics never change. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Names of labels, in addition to `scheduler`, which every sample has. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Definitions of all metrics. If a metric describes the whole cluster, its help text says so, and every node exports the same value. */
export const METRICS = {
  quartz_firings_total: { type: 'counter', help: 'Triggers that fired on this node.' },
  quartz_runs_total: {
    type: 'counter',
    help: 'Runs that ended on this node, by job type and outcome; job types after the first 100 are `other`.',
    labels: ['job_type', 'outcome'],
  },
  quartz_firing_lateness_seconds: {
    type: 'histogram',
    help: 'Delay between the scheduled time of a run and its start on this node, without recoveries.',
    buckets: SECONDS,
  },
  quartz_run_duration_seconds: { type: 'histogram', help: 'Duration of runs on this node.', buckets: SECONDS },
  quartz_misfires_total: { type: 'counter', help: 'Triggers that this node found misfired.' },
  quartz_retries_total: { type: 'counter', help: 'Retries scheduled after failed runs on this node.' },
  quartz_dead_letters_total: { type: 'counter', help: 'Runs on this node that became dead letters.' },
  quartz_firings_skipped_total: {
    type: 'counter',
    help: 'Firings that were skipped, by reason.',
    labels: ['reason'],
  },
  quartz_firings_deferred_total: {
    type: 'counter',
    help: 'Firings that were deferred, by reason.',
    labels: ['reason'],
  },
  quartz_triggers_not_fired_total: {
    type: 'counter',
    help: 'Triggers that this node acquired but could not fire, by reason.',
    labels: ['reason'],
  },
  quartz_triggers_acquired_total: {
    type: 'counter',
    help: 'Triggers that this node acquired. Each one that does not fire is wasted work.',
  },
  quartz_acquisition_batch_size: {
    type: 'histogram',
    help: 'Triggers per successful acquisition.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250],
  },
  quartz_acquisitions_total: {
    type: 'counter',
    help: 'Acquisitions of this node, by whether they found triggers.',
    labels: ['result'],
  },
  quartz_store_statements_total: {
    type: 'counter',
    help: 'Database statements of this node, by connection, without those that begin or end transactions.',
    labels: ['connection'],
  },
  quartz_store_commits_total: {
    type: 'counter',
    help: 'Committed database transactions of this node, by connection.',
    labels: ['connection'],
  },
  quartz_store_connections: {
    type: 'gauge',
    help: 'Open database connections of this node, by purpose.',
    labels: ['connection'],
  },
  quartz_store_connections_in_use: {
    type: 'gauge',
    help: 'Database connections in use.',
    labels: ['connection'],
  },
  quartz_store_connections_waiting: {
    type: 'gauge',
    help: 'Callers waiting for a database connection.',
    labels: ['connection'],
  },
  quartz_lock_wait_seconds: {
    type: 'histogram',
    help: 'Time to get the lock for firing triggers, including the round trip to the database.',
    buckets: LOCK_WAIT_BOUNDS_MS.map((bound) => bound / 1_000),
  },
  quartz_completions_fenced_total: {
    type: 'counter',
    help: 'Completions rejected because another node had taken over the firing.',
  },
  quartz_repairs_total: {
    type: 'counter',
    help: 'Inconsistent states that this node repaired, by kind. Investigate values above 0.',
    labels: ['kind'],
  },
  quartz_nodes_recovered_total: { type: 'counter', help: 'Failed nodes whose firings this node recovered.' },
  quartz_fenced_total: {
    type: 'counter',
    help: 'Times this node lost its lease, by reason.',
    labels: ['reason'],
  },
  quartz_stalls_total: {
    type: 'counter',
    help: 'Event loop stalls after which this node left triggers to other nodes.',
  },
  quartz_store_outages_total: { type: 'counter', help: 'Store outages that this node detected.' },
  quartz_logins_failed_total: { type: 'counter', help: 'Failed logins to the console of this node.' },
  quartz_errors_total: { type: 'counter', help: 'Internal operations that failed while the scheduler kept running.' },
  quartz_overdue_total: { type: 'counter', help: 'Expectations (`mustSucceedWithin`) that this node found overdue.' },
  quartz_started: { type: 'gauge', help: '1 if this node is started.' },
  quartz_ready: { type: 'gauge', help: '1 if this node fires triggers, as in /health/ready.' },
  quartz_draining: { type: 'gauge', help: '1 if this node is draining.' },
  quartz_store_up: { type: 'gauge', help: '1 if the store answers this node.' },
  quartz_workers: { type: 'gauge', help: 'Maximum number of concurrent runs on this node.' },
  quartz_workers_busy: { type: 'gauge', help: 'Runs executing on this node.' },
  quartz_lease_age_seconds: {
    type: 'gauge',
    help: 'Time since the last check-in of this node; absent if the store is not shared.',
  },
  quartz_nodes: { type: 'gauge', help: 'Nodes of the cluster, by state.', labels: ['state'] },
  quartz_executing: { type: 'gauge', help: 'Runs executing in the whole cluster.' },
  quartz_backlog: {
    type: 'gauge',
    help: 'Backlog of the whole cluster: waiting triggers whose fire time has passed, counted up to 1,000.',
  },
  quartz_backlog_age_seconds: {
    type: 'gauge',
    help: 'Time since the oldest trigger of the backlog was due; 0 if there is none.',
  },
  quartz_dead_letters: { type: 'gauge', help: 'Dead letters in the whole cluster, counted up to 200.' },
  quartz_triggers_in_error: {
    type: 'gauge',
    help: 'Triggers in the state ERROR in the whole cluster, counted up to 1,000.',
  },
  quartz_event_loop_lag_seconds: {
    type: 'gauge',
    help: 'Event loop delay of this process since the last scrape, by percentile.',
    labels: ['percentile'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

export function definitionOf(name: MetricName): MetricDefinition {
  return METRICS[name];
}
