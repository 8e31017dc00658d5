import { LOCK_WAIT_BOUNDS_MS } from '../../store/store-activity';

/** Definition of a Prometheus metric. The names of metrics never change. */
interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Names of labels, in addition to `scheduler`, which every sample has. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const counter = (help: string, ...labels: readonly string[]): MetricDefinition => ({ type: 'counter', help, labels });
const gauge = (help: string, ...labels: readonly string[]): MetricDefinition => ({ type: 'gauge', help, labels });
const histogram = (help: string, buckets: readonly number[]): MetricDefinition => ({
  type: 'histogram',
  help,
  buckets,
});

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/** Definitions of all metrics. If a metric describes the whole cluster, its help text says so, and every node exports the same value. */
export const METRICS = {
  quartz_firings_total: counter('Triggers that fired on this node.'),
  quartz_runs_total: counter(
    'Runs that ended on this node, by job type and outcome; job types after the first 100 are `other`.',
    'job_type',
    'outcome',
  ),
  quartz_firing_lateness_seconds: histogram(
    'Delay between the scheduled time of a run and its start on this node, without recoveries.',
    SECONDS,
  ),
  quartz_run_duration_seconds: histogram('Duration of runs on this node.', SECONDS),
  quartz_misfires_total: counter('Triggers that this node found misfired.'),
  quartz_retries_total: counter('Retries scheduled after failed runs on this node.'),
  quartz_dead_letters_total: counter('Runs on this node that became dead letters.'),
  quartz_firings_skipped_total: counter('Firings that were skipped, by reason.', 'reason'),
  quartz_firings_deferred_total: counter('Firings that were deferred, by reason.', 'reason'),
  quartz_triggers_not_fired_total: counter('Triggers that this node acquired but could not fire, by reason.', 'reason'),
  quartz_triggers_acquired_total: counter(
    'Triggers that this node acquired. Each one that does not fire is wasted work.',
  ),
  quartz_acquisition_batch_size: histogram('Triggers per successful acquisition.', [1, 2, 5, 10, 25, 50, 100, 250]),
  quartz_acquisitions_total: counter('Acquisitions of this node, by whether they found triggers.', 'result'),
  quartz_store_statements_total: counter(
    'Database statements of this node, by connection, without those that begin or end transactions.',
    'connection',
  ),
  quartz_store_commits_total: counter('Committed database transactions of this node, by connection.', 'connection'),
  quartz_store_connections: gauge('Open database connections of this node, by purpose.', 'connection'),
  quartz_store_connections_in_use: gauge('Database connections in use.', 'connection'),
  quartz_store_connections_waiting: gauge('Callers waiting for a database connection.', 'connection'),
  quartz_trains_total: counter(
    'Transactions of this node that fired triggers which it had chosen before it had the lock.',
  ),
  quartz_train_firings_total: counter('Triggers that these transactions fired.'),
  quartz_lock_wait_seconds: histogram(
    'Time to get the lock for firing triggers, including the round trip to the database.',
    LOCK_WAIT_BOUNDS_MS.map((bound) => bound / 1_000),
  ),
  quartz_completions_fenced_total: counter('Completions rejected because another node had taken over the firing.'),
  quartz_repairs_total: counter(
    'Inconsistent states that this node repaired, by kind. Investigate values above 0.',
    'kind',
  ),
  quartz_nodes_recovered_total: counter('Failed nodes whose firings this node recovered.'),
  quartz_fenced_total: counter('Times this node lost its lease, by reason.', 'reason'),
  quartz_stalls_total: counter('Event loop stalls after which this node left triggers to other nodes.'),
  quartz_store_outages_total: counter('Store outages that this node detected.'),
  quartz_logins_failed_total: counter('Failed logins to the console of this node.'),
  quartz_errors_total: counter('Internal operations that failed while the scheduler kept running.'),
  quartz_overdue_total: counter('Expectations (`mustSucceedWithin`) that this node found overdue.'),
  quartz_started: gauge('1 if this node is started.'),
  quartz_ready: gauge('1 if this node fires triggers, as in /health/ready.'),
  quartz_draining: gauge('1 if this node is draining.'),
  quartz_store_up: gauge('1 if the store answers this node.'),
  quartz_workers: gauge('Maximum number of concurrent runs on this node.'),
  quartz_workers_busy: gauge('Runs executing on this node.'),
  quartz_lease_age_seconds: gauge('Time since the last check-in of this node; absent if the store is not shared.'),
  quartz_nodes: gauge('Nodes of the cluster, by state.', 'state'),
  quartz_executing: gauge('Runs executing in the whole cluster.'),
  quartz_backlog: gauge(
    'Backlog of the whole cluster: waiting triggers whose fire time has passed, counted up to 1,000.',
  ),
  quartz_backlog_age_seconds: gauge('Time since the oldest trigger of the backlog was due; 0 if there is none.'),
  quartz_dead_letters: gauge('Dead letters in the whole cluster, counted up to 200.'),
  quartz_triggers_in_error: gauge('Triggers in the state ERROR in the whole cluster, counted up to 1,000.'),
  quartz_event_loop_lag_seconds: gauge(
    'Event loop delay of this process since the last scrape, by percentile.',
    'percentile',
  ),
};

export type MetricName = keyof typeof METRICS;
