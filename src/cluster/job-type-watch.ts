import type { Clock, EpochMs } from '../base/clock';
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

const INTERVAL = 10_000;
/** So late is no trigger that somebody is about to run. Milliseconds. */
const OVERDUE = 5_000;
/** Overdue triggers looked at in one run, the longest overdue first: the cost does not grow with a backlog. */
const MOST_TRIGGERS = 200;
/** Types in one event. */
const MOST_TOLD = 20;
/** A type is told of again after an hour. */
const SILENCE = 3_600_000;

/**
 * Tells the other nodes which job types this one can run, and the user which triggers wait for a type that no node has: a job that was
 * renamed, or a node that is missing.
 */
export class JobTypeWatch {
  readonly service: PeriodicService;
  readonly #parts: JobTypeWatchParts;
  readonly #errors: ErrorThrottle;
  #published: readonly string[] | null = null;
  #isFirstRun = true;
  /** When each type was told of last, on the monotonic clock. */
  readonly #told = new Map<string, number>();

  constructor(parts: JobTypeWatchParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#errors = new ErrorThrottle(clock, parts);
    this.service = new PeriodicService('job types', {
      clock,
      interval: INTERVAL,
      runOnce: async () => {
        await this.runOnce();
        return false;
      },
    });
  }

  /** Before the node joins, so that the others know from its first moment. */
  async prepare(): Promise<void> {
    const { store, jobTypes } = this.#parts;
    await store.publishJobTypes(jobTypes());
  }

  /** Publishes what has changed, and looks who waits in vain. Never rejects. */
  async runOnce(): Promise<void> {
    try {
      await this.#publishTypes();
      // Nodes that start together do not have each other's types yet.
      if (!this.#isFirstRun) await this.#look();
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

  async #look(): Promise<void> {
    const { store, clock, jobTypes } = this.#parts;
    const own = new Set(jobTypes());
    const overdue = await store.readOverdueTriggers(clock.now() - OVERDUE, MOST_TRIGGERS);
    const foreign = overdue.filter(({ jobType }) => !own.has(jobType));
    if (foreign.length === 0) return;
    const types = [...new Set(foreign.map(({ jobType }) => jobType))];
    const missing = typesOfNobody(types, await store.readJobTypes()).filter((type) => this.#isNews(type));
    if (missing.length > 0) this.#tell(missing.slice(0, MOST_TOLD), foreign);
  }

  #isNews(type: string): boolean {
    const toldAt = this.#told.get(type);
    return toldAt === undefined || this.#parts.clock.monotonic() - toldAt >= SILENCE;
  }

  #tell(missing: readonly string[], overdue: readonly OverdueTrigger[]): void {
    const { clock, publish } = this.#parts;
    const now = clock.monotonic();
    for (const [type, toldAt] of this.#told) if (now - toldAt >= SILENCE) this.#told.delete(type);
    for (const type of missing) this.#told.set(type, now);
    publish({ type: 'jobTypesMissing', at: clock.now(), missing: missing.map((type) => describe(type, overdue)) });
  }
}

function describe(jobType: string, overdue: readonly OverdueTrigger[]): MissingJobType {
  const triggers = overdue.filter((each) => each.jobType === jobType);
  const [{ triggerKey, nextFireTime }] = triggers as [OverdueTrigger];
  return { jobType, triggers: triggers.length, example: triggerKey, overdueSince: nextFireTime satisfies EpochMs };
}
