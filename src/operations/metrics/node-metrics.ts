import type { Scheduler } from '../../api/scheduler';
import type { SchedulerEvent, SchedulerEventOf } from '../../domain/scheduler-event';
import { MetricRegistry } from './metric-registry';

/** Maximum number of job types with their own label value. All further job types share one label value. */
const MAX_JOB_TYPES = 100;

type EventType = SchedulerEvent['type'];

/** Metrics about the activity of a node since the first request for its metrics. */
export class NodeMetrics {
  readonly registry = new MetricRegistry();
  readonly #jobTypes = new Set<string>();

  /** Handlers by event type. Only these types are subscribed to, because the scheduler creates an event only if it has a listener. */
  readonly #heard: { readonly [Type in EventType]?: (event: SchedulerEventOf<Type>) => void } = {
    triggersAcquired: ({ count }) => this.#acquired(count),
    triggerFired: () => this.registry.add('quartz_firings_total'),
    triggerNotFired: ({ reason }) => this.registry.add('quartz_triggers_not_fired_total', [reason]),
    jobStarted: (event) => this.#started(event),
    jobVetoed: ({ firing }) => this.#ended(firing.jobDetail.jobType, 'vetoed'),
    triggerCompleted: (event) => this.#completed(event),
    triggerMisfired: () => this.registry.add('quartz_misfires_total'),
    retryScheduled: () => this.registry.add('quartz_retries_total'),
    retriesExhausted: () => this.registry.add('quartz_dead_letters_total'),
    waitingRunsDeleted: ({ runs }) => this.registry.add('quartz_dead_letters_total', [], runs.length),
    firingSkipped: ({ reason }) => this.registry.add('quartz_firings_skipped_total', [reason]),
    firingDeferred: ({ reason }) => this.registry.add('quartz_firings_deferred_total', [reason]),
    completionFenced: () => this.registry.add('quartz_completions_fenced_total'),
    statesRepaired: (event) => this.#repaired(event),
    nodeRecovered: () => this.registry.add('quartz_nodes_recovered_total'),
    nodeStalled: () => this.registry.add('quartz_stalls_total'),
    nodeFenced: ({ reason }) => this.registry.add('quartz_fenced_total', [reason]),
    storeUnavailable: () => this.registry.add('quartz_store_outages_total'),
    schedulerError: () => this.registry.add('quartz_errors_total'),
    loginFailed: () => this.registry.add('quartz_logins_failed_total'),
    overdue: () => this.registry.add('quartz_overdue_total'),
  };

  constructor(scheduler: Pick<Scheduler, 'subscribe'>) {
    const heard = this.#heard as Readonly<Record<string, (event: SchedulerEvent) => void>>;
    scheduler.subscribe((event) => heard[event.type]?.(event), Object.keys(heard) as EventType[]);
  }

  #acquired(count: number): void {
    this.registry.add('quartz_triggers_acquired_total', [], count);
    this.registry.observe('quartz_acquisition_batch_size', count);
  }

  #repaired({ released, unblocked, failed }: SchedulerEventOf<'statesRepaired'>): void {
    this.registry.add('quartz_repairs_total', ['released'], released);
    this.registry.add('quartz_repairs_total', ['unblocked'], unblocked);
    this.registry.add('quartz_repairs_total', ['failed'], failed.length);
  }

  #started({ at, firing, refireCount }: SchedulerEventOf<'jobStarted'>): void {
    if (refireCount > 0) return;
    const lateMs = firing.recovering ? null : Math.max(0, at - firing.scheduledFireTime);
    if (lateMs !== null) this.registry.observe('quartz_firing_lateness_seconds', lateMs / 1_000);
  }

  #completed({ firing, jobRunTime, error, isHandedOver }: SchedulerEventOf<'triggerCompleted'>): void {
    // Vetoed, skipped and refused firings have no run time and are counted by their own events. A job that could not be created counts as a failed run.
    if (jobRunTime < 0 && error === null) return;
    if (jobRunTime >= 0) this.registry.observe('quartz_run_duration_seconds', jobRunTime / 1_000);
    const failed = isHandedOver === true ? 'handedOver' : 'failed';
    this.#ended(firing.jobDetail.jobType, error === null ? 'succeeded' : failed);
  }

  #ended(jobType: string, outcome: string): void {
    if (this.#jobTypes.size < MAX_JOB_TYPES) this.#jobTypes.add(jobType);
    this.registry.add('quartz_runs_total', [this.#jobTypes.has(jobType) ? jobType : 'other', outcome]);
  }
}

const KNOWN = new WeakMap<Scheduler, NodeMetrics>();

/** Returns the metrics of a scheduler. Counting starts with the first call. */
export function metricsOf(scheduler: Scheduler): NodeMetrics {
  const known = KNOWN.get(scheduler) ?? new NodeMetrics(scheduler);
  KNOWN.set(scheduler, known);
  return known;
}
