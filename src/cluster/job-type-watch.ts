import type { Clock } from '../base/clock';
import { PeriodicService } from '../base/service';
import { typesOfNobody } from '../domain/job-types';
import type { MissingJobType } from '../domain/scheduler-event';
import { ErrorThrottle } from '../events/error-throttle';
import type { ClusterStore, OverdueTrigger } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';

export interface JobTypeWatchParts {
  readonly store: Pick<ClusterStore, 'publishJobTypes' | 'readJobTypes' | 'readOverdueTriggers'>;
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  /** What this node can run; a new array only after a change. */
  readonly jobTypes: () => readonly string[];
}

const INTERVAL_MS = 10_000;
/** No trigger that a node is about to run is so late. */
const OVERDUE_MS = 5_000;
/** Overdue triggers examined in one run, the longest overdue first: the cost does not grow with a backlog. */
const MAX_TRIGGERS = 200;
const MAX_TYPES_IN_EVENT = 20;
/** Before a type is reported again. */
const SILENCE_MS = 3_600_000;

/**
 * Publishes to the other nodes which job types this one can run, and reports the triggers that wait for a type that no node has: a
 * job that was renamed, or a node that is missing.
 */
export class JobTypeWatch {
  readonly service: PeriodicService;
  readonly #parts: JobTypeWatchParts;
  readonly #errors: ErrorThrottle;
  #published: readonly string[] | null = null;
  #isFirstRun = true;
  /** When each type was reported last, on the monotonic clock. */
  readonly #reportedAt = new Map<string, number>();

  constructor(parts: JobTypeWatchParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#errors = new ErrorThrottle(clock, parts);
    const runOnce = () => this.runOnce().then(() => false);
    this.service = new PeriodicService('job types', { clock, interval: INTERVAL_MS, runOnce });
  }

  /** Before the node joins, so that the others know from its first moment. */
  async prepare(): Promise<void> {
    const { store, jobTypes } = this.#parts;
    await store.publishJobTypes(jobTypes());
  }

  /** Publishes what has changed, and reports what waits in vain. Never rejects. */
  async runOnce(): Promise<void> {
    try {
      await this.#publishTypes();
      // Nodes that start together do not have each other's types yet.
      if (!this.#isFirstRun) await this.#reportMissing();
      this.#isFirstRun = false;
      this.#errors.end();
    } catch (thrown) {
      this.#errors.report('comparing the job types of the nodes', thrown);
    }
  }

  async #publishTypes(): Promise<void> {
    const types = this.#parts.jobTypes();
    if (types !== this.#published && (await this.#parts.store.publishJobTypes(types))) this.#published = types;
  }

  async #reportMissing(): Promise<void> {
    const { store, clock, publish, jobTypes } = this.#parts;
    const own = new Set(jobTypes());
    const overdue = await store.readOverdueTriggers(clock.now() - OVERDUE_MS, MAX_TRIGGERS);
    const foreign = overdue.filter(({ jobType }) => !own.has(jobType));
    if (foreign.length === 0) return;
    const types = typesOfNobody([...new Set(foreign.map(({ jobType }) => jobType))], await store.readJobTypes());
    const now = clock.monotonic();
    for (const [type, reportedAt] of this.#reportedAt)
      if (now - reportedAt >= SILENCE_MS) this.#reportedAt.delete(type);
    const missing = types.filter((type) => !this.#reportedAt.has(type)).slice(0, MAX_TYPES_IN_EVENT);
    if (missing.length === 0) return;
    for (const type of missing) this.#reportedAt.set(type, now);
    publish({ type: 'jobTypesMissing', at: clock.now(), missing: missing.map((type) => describe(type, foreign)) });
  }
}

function describe(jobType: string, overdue: readonly OverdueTrigger[]): MissingJobType {
  const triggers = overdue.filter((each) => each.jobType === jobType);
  const [{ triggerKey, nextFireTime }] = triggers as [OverdueTrigger];
  return { jobType, triggers: triggers.length, example: triggerKey, overdueSince: nextFireTime };
}
