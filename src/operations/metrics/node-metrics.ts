import type { Scheduler } from '../../api/scheduler';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import { MetricRegistry } from './metric-registry';
import { RecentFirings } from './recent-firings';

/** Of further job types it is only counted that they are others. */
const MAX_JOB_TYPES = 100;

/** What is heard of; each of these events is built only while somebody listens. */
const HEARD = [
  'triggersAcquired',
  'triggerFired',
  'triggerNotFired',
  'jobStarted',
  'jobVetoed',
  'triggerCompleted',
  'triggerMisfired',
  'retryScheduled',
  'retriesExhausted',
  'firingSkipped',
  'firingDeferred',
  'completionFenced',
  'statesRepaired',
  'nodeRecovered',
  'nodeFenced',
  'storeUnavailable',
  'schedulerError',
  'overdue',
] as const satisfies readonly SchedulerEvent['type'][];

/** What one node has done since somebody asked for the first time. */
export class NodeMetrics {
  readonly registry = new MetricRegistry();
  readonly recent = new RecentFirings();
  readonly #jobTypes = new Set<string>();

  constructor(scheduler: Pick<Scheduler, 'subscribe'>) {
    scheduler.subscribe((event) => this.#hear(event), HEARD);
  }

  #hear(event: SchedulerEvent): void {
    const { registry } = this;
    switch (event.type) {
      case 'triggersAcquired':
        registry.add('quartz_triggers_acquired_total', [], event.count);
        return registry.observe('quartz_acquisition_batch_size', event.count);
      case 'triggerFired':
        return registry.add('quartz_firings_total');
      case 'triggerNotFired':
        return registry.add('quartz_triggers_not_fired_total', [event.reason]);
      case 'firingSkipped':
        return registry.add('quartz_firings_skipped_total', [event.reason]);
      case 'firingDeferred':
        return registry.add('quartz_firings_deferred_total', [event.reason]);
      case 'jobVetoed':
        return this.#ended(event.firing.jobDetail.jobType, 'vetoed');
      case 'jobStarted':
        return this.#started(event);
      case 'triggerCompleted':
        return this.#completed(event);
      default:
        return this.#hearOfNode(event);
    }
  }

  #hearOfNode(event: SchedulerEvent): void {
    const { registry } = this;
    switch (event.type) {
      case 'triggerMisfired':
        return registry.add('quartz_misfires_total');
      case 'retryScheduled':
        return registry.add('quartz_retries_total');
      case 'retriesExhausted':
        return registry.add('quartz_dead_letters_total');
      case 'completionFenced':
        return registry.add('quartz_completions_fenced_total');
      case 'statesRepaired':
        registry.add('quartz_repairs_total', ['released'], event.released);
        registry.add('quartz_repairs_total', ['unblocked'], event.unblocked);
        return registry.add('quartz_repairs_total', ['failed'], event.failed.length);
      case 'nodeRecovered':
        return registry.add('quartz_nodes_recovered_total');
      case 'nodeFenced':
        return registry.add('quartz_fenced_total', [event.reason]);
      case 'storeUnavailable':
        return registry.add('quartz_store_outages_total');
      case 'overdue':
        return registry.add('quartz_overdue_total');
      case 'schedulerError':
        return registry.add('quartz_errors_total');
    }
  }

  #started({ at, firing, refireCount }: SchedulerEvent & { readonly type: 'jobStarted' }): void {
    if (refireCount > 0) return;
    const lateMs = firing.recovering ? null : Math.max(0, at - firing.scheduledFireTime);
    if (lateMs !== null) this.registry.observe('quartz_firing_lateness_seconds', lateMs / 1_000);
    this.recent.started(at, lateMs);
  }

  #completed({ at, firing, jobRunTime, error }: SchedulerEvent & { readonly type: 'triggerCompleted' }): void {
    // What was vetoed or skipped has run for no time, and is counted where that is told; a job that could not be made has failed.
    if (jobRunTime < 0 && error === null) return;
    if (jobRunTime >= 0) this.registry.observe('quartz_run_duration_seconds', jobRunTime / 1_000);
    this.recent.ended(at, error !== null);
    this.#ended(firing.jobDetail.jobType, error === null ? 'succeeded' : 'failed');
  }

  #ended(jobType: string, outcome: string): void {
    if (this.#jobTypes.size < MAX_JOB_TYPES) this.#jobTypes.add(jobType);
    this.registry.add('quartz_runs_total', [this.#jobTypes.has(jobType) ? jobType : 'other', outcome]);
  }
}

const KNOWN = new WeakMap<Scheduler, NodeMetrics>();

/** The metrics of a scheduler, which are counted from the first call on. */
export function metricsOf(scheduler: Scheduler): NodeMetrics {
  const known = KNOWN.get(scheduler) ?? new NodeMetrics(scheduler);
  KNOWN.set(scheduler, known);
  return known;
}

/** The same, if somebody has asked before; null otherwise: asking for the first time would count from then on. */
export function knownMetricsOf(scheduler: Scheduler): NodeMetrics | null {
  return KNOWN.get(scheduler) ?? null;
}
