import { LOCK_WAIT_BOUNDS_MS } from '../../store/store-activity';

/** A metric as Prometheus knows it. Names are stable for ever. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Besides `scheduler`, which every sample has. */
  readonly labels?: readonly string[];
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Everything that is measured. What concerns the whole cluster says so: each node tells the same of it. */
export const METRICS = {
  quartz_firings_total: { type: 'counter', help: 'Triggers that fired on this node.' },
  quartz_runs_total: {
    type: 'counter',
    help: 'Runs that ended on this node, by the type of the job and by how they ended; further types than 100 are `other`.',
    labels: ['job_type', 'outcome'],
  },
  quartz_firing_lateness_seconds: {
    type: 'histogram',
    help: 'How long after its scheduled time a job began on this node, without recoveries.',
    buckets: SECONDS,
  },
  quartz_run_duration_seconds: {
    type: 'histogram',
    help: 'How long jobs ran on this node.',
    buckets: SECONDS,
  },
  quartz_misfires_total: { type: 'counter', help: 'Triggers that this node found too late to fire.' },
  quartz_retries_total: { type: 'counter', help: 'Retries that were scheduled after a run on this node.' },
  quartz_dead_letters_total: { type: 'counter', help: 'Runs on this node that became dead letters.' },
  quartz_firings_skipped_total: {
    type: 'counter',
    help: 'Firings whose job was not run, by the reason.',
    labels: ['reason'],
  },
  quartz_firings_deferred_total: {
    type: 'counter',
    help: 'Firings whose job was put off, by the reason.',
    labels: ['reason'],
  },
  quartz_triggers_not_fired_total: {
    type: 'counter',
    help: 'Triggers that were reserved here and could not fire, by the reason.',
    labels: ['reason'],
  },
  quartz_triggers_acquired_total: {
    type: 'counter',
    help: 'Triggers that this node reserved; fewer firings than these were work for nothing.',
  },
  quartz_acquisition_batch_size: {
    type: 'histogram',
    help: 'How many triggers one acquisition that found any reserved.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250],
  },
  quartz_acquisitions_total: {
    type: 'counter',
    help: 'How often this node asked for triggers to fire, by whether it got any.',
    labels: ['result'],
  },
  quartz_store_statements_total: {
    type: 'counter',
    help: 'Statements of this node on its database, without those that begin and end transactions, by the connections that ran them.',
    labels: ['connection'],
  },
  quartz_store_commits_total: {
    type: 'counter',
    help: 'Transactions of this node on its database that it has ended well, by the connections that ran them.',
    labels: ['connection'],
  },
  quartz_store_connections: {
    type: 'gauge',
    help: 'Open connections of this node to its database, by what they are for.',
    labels: ['connection'],
  },
  quartz_store_connections_in_use: {
    type: 'gauge',
    help: 'How many of them work for somebody.',
    labels: ['connection'],
  },
  quartz_store_connections_waiting: {
    type: 'gauge',
    help: 'How many callers wait for one of them.',
    labels: ['connection'],
  },
  quartz_lock_wait_seconds: {
    type: 'histogram',
    help: 'How long this node waited for the lock under which triggers are fired, with the way to the database.',
    buckets: LOCK_WAIT_BOUNDS_MS.map((bound) => bound / 1_000),
  },
  quartz_completions_fenced_total: {
    type: 'counter',
    help: 'Completions that were refused because another node had taken the firing over.',
  },
  quartz_repairs_total: {
    type: 'counter',
    help: 'Impossible states that this node has repaired, by their kind. Anything above 0 is worth a look.',
    labels: ['kind'],
  },
  quartz_nodes_recovered_total: { type: 'counter', help: 'Failed nodes whose firings this node has recovered.' },
  quartz_fenced_total: {
    type: 'counter',
    help: 'How often this node lost its right to fire, by the reason.',
    labels: ['reason'],
  },
  quartz_stalls_total: {
    type: 'counter',
    help: 'Stalls of the event loop after which this node left triggers to the other nodes.',
  },
  quartz_store_outages_total: { type: 'counter', help: 'How often this node found that its store does not answer.' },
  quartz_logins_failed_total: { type: 'counter', help: 'Logins to the console of this node that failed.' },
  quartz_errors_total: { type: 'counter', help: 'Operations that failed while the scheduler went on.' },
  quartz_overdue_total: { type: 'counter', help: 'Expectations (`mustSucceedWithin`) that this node found not met.' },
  quartz_started: { type: 'gauge', help: '1 while this node is started.' },
  quartz_ready: { type: 'gauge', help: '1 while this node fires: see /health/ready.' },
  quartz_draining: { type: 'gauge', help: '1 while this node drains.' },
  quartz_store_up: { type: 'gauge', help: '1 while the store answers this node.' },
  quartz_workers: { type: 'gauge', help: 'How many jobs this node can run at once.' },
  quartz_workers_busy: { type: 'gauge', help: 'How many jobs run on this node.' },
  quartz_lease_age_seconds: {
    type: 'gauge',
    help: 'How long ago this node checked in, by the clocks of both; absent where nobody shares the store.',
  },
  quartz_nodes: { type: 'gauge', help: 'Nodes of the cluster, by their state.', labels: ['state'] },
  quartz_executing: { type: 'gauge', help: 'Runs that execute now, in the whole cluster.' },
  quartz_backlog: {
    type: 'gauge',
    help: 'Triggers of the whole cluster that wait although their time has passed, counted up to 1,000.',
  },
  quartz_backlog_age_seconds: {
    type: 'gauge',
    help: 'For how long the one that has waited longest has been due; 0: none waits.',
  },
  quartz_dead_letters: { type: 'gauge', help: 'Dead letters of the whole cluster, counted up to 200.' },
  quartz_triggers_in_error: {
    type: 'gauge',
    help: 'Triggers of the whole cluster in the state ERROR, counted up to 1,000.',
  },
  quartz_event_loop_lag_seconds: {
    type: 'gauge',
    help: 'How late timers of this process were since the last scrape, by percentile.',
    labels: ['percentile'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** The definition of a metric, as what is common to all. */
export function definitionOf(name: MetricName): MetricDefinition {
  return METRICS[name];
}
