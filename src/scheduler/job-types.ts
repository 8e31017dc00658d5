import type { Clock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { nearestName } from '../base/nearest-name';
import { PeriodicService } from '../base/service';
import type { NodeHooks } from '../cluster/node-hooks';
import type { JobDetail } from '../domain/job-detail';
import { mayRun, type NodeJobTypes, typesOfNobody } from '../domain/job-types';
import { formatKey } from '../domain/keys';
import type { MissingJobType } from '../domain/scheduler-event';
import { ErrorThrottle } from '../events/error-throttle';
import type { BacklogTrigger, ClusterStore } from '../store/cluster-store';

interface KnownJobTypesParts {
  readonly own: () => readonly string[];
  /** Reads the job types of the cluster's nodes. Null if no other node shares the store. */
  readonly readNodes: (() => Promise<readonly NodeJobTypes[]>) | null;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** True if this process runs no jobs. It then accepts every type if no node has published its types. */
  readonly isObserver: boolean;
}

/** Time for which other nodes' job types are cached, in milliseconds. A node that only schedules jobs would otherwise query them for each job. */
const CACHE_MS = 10_000;

/** Job types that at least one node can run. Checking a job against them prevents storing a misspelt type, which would never run. */
export class KnownJobTypes {
  readonly #parts: KnownJobTypesParts;
  #ofNodes: readonly NodeJobTypes[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: KnownJobTypesParts) {
    this.#parts = parts;
  }

  /** Returns the jobs whose type is not registered on this node. `alsoOwn` contains types that will be registered later. */
  unregisteredOf(jobs: readonly JobDetail[], alsoOwn: readonly string[]): readonly JobDetail[] {
    if (jobs.length === 0) return jobs;
    const own = new Set([...this.#parts.own(), ...alsoOwn]);
    return jobs.filter(({ jobType }) => !own.has(jobType));
  }

  /** Rejects with UNKNOWN_JOB_TYPE for the first job that no node can run. The message suggests the most similar known type. */
  async assertRunElsewhere(jobs: readonly JobDetail[]): Promise<void> {
    const { readNodes, clock, isObserver } = this.#parts;
    const missing = () => typesOfNobody(distinctTypes(jobs), this.#ofNodes);
    const isFresh = clock.monotonic() - this.#readAt < CACHE_MS;
    if (isFresh && missing().length === 0) return;
    if (readNodes !== null) {
      this.#ofNodes = await readNodes();
      this.#readAt = clock.monotonic();
    }
    if (isObserver && this.#ofNodes.length === 0) return;
    const [type] = missing();
    if (type !== undefined) throw this.#unknown(jobs.find(({ jobType }) => jobType === type) as JobDetail);
  }

  #unknown({ key, jobType }: JobDetail): SchedulerError {
    const { own, readNodes } = this.#parts;
    const known = [...own(), ...this.#ofNodes.flatMap(({ jobTypes }) => jobTypes ?? [])];
    const nearest = nearestName(jobType, known);
    const hint =
      nearest === null
        ? 'Register it first, with createScheduler(…, { jobs }) or registerJob'
        : `Did you mean '${nearest}'?`;
    const where = readNodes === null ? ' in this process' : ' on this or any other node';
    const later = nearest === null ? ', or set registeredLater.' : ' To register it later, set registeredLater.';
    return new SchedulerError(
      'UNKNOWN_JOB_TYPE',
      `Job '${formatKey(key)}' is of type '${jobType}', which is not registered${where}. ${hint}${later}`,
    );
  }
}

function distinctTypes(jobs: readonly JobDetail[]): readonly string[] {
  return [...new Set(jobs.map(({ jobType }) => jobType))];
}

interface JobTypeWatchParts {
  readonly store: Pick<ClusterStore, 'publishJobTypes' | 'readJobTypes' | 'readBacklog'>;
  readonly clock: Clock;
  readonly publish: NodeHooks['publish'];
  readonly labels: readonly string[];
  /** Job types that this node can run. Returns a new array only after a change. */
  readonly jobTypes: () => readonly string[];
}

const INTERVAL_MS = 10_000;
/** Lateness above which a trigger is checked, in milliseconds. A smaller delay is normal. */
const BACKLOG_AFTER_MS = 5_000;
/** Maximum number of late triggers to check per poll, longest waiting first. Bounds the cost of a poll. */
const MAX_TRIGGERS = 200;
const MAX_TYPES_IN_EVENT = 20;
/** Minimum time between two reports of the same job type, in milliseconds. */
const SILENCE_MS = 3_600_000;

/** Publishes this node's job types. Reports triggers whose job type no node can run, for example because the type was renamed. */
export class JobTypeWatch {
  readonly service: PeriodicService;
  readonly #parts: JobTypeWatchParts;
  readonly #errors: ErrorThrottle;
  #published: readonly string[] | null = null;
  #isFirstRun = true;
  /** Time of the last report for each combination of job type and node labels, on the monotonic clock. */
  readonly #reportedAt = new Map<string, number>();

  constructor(parts: JobTypeWatchParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#errors = new ErrorThrottle(clock, parts);
    const runOnce = () => this.runOnce().then(() => false);
    this.service = new PeriodicService('job types', { clock, interval: INTERVAL_MS, runOnce });
  }

  /** Publishes the job types before this node joins the cluster, so that the other nodes know them from the start. */
  async prepare(): Promise<void> {
    const { store, jobTypes } = this.#parts;
    await store.publishJobTypes(jobTypes());
  }

  /** Publishes changed job types, and reports triggers whose job type no node can run. Never rejects. */
  async runOnce(): Promise<void> {
    try {
      await this.#publishTypes();
      // Skipped on the first run: nodes that start together do not know each other's types yet.
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
    const { store, clock, publish, labels, jobTypes } = this.#parts;
    const own = { instanceId: '', isJava: false, jobTypes: jobTypes(), labels };
    const backlog = await store.readBacklog(clock.now() - BACKLOG_AFTER_MS, MAX_TRIGGERS);
    const foreign = backlog.filter((trigger) => !mayRun(own, trigger));
    if (foreign.length === 0) return;
    const nodes = await store.readJobTypes();
    const lost = foreign.filter((trigger) => !nodes.some((node) => mayRun(node, trigger)));
    const kinds = new Set(lost.map(needsText));
    const now = clock.monotonic();
    for (const [type, reportedAt] of this.#reportedAt)
      if (now - reportedAt >= SILENCE_MS) this.#reportedAt.delete(type);
    const missing = [...kinds].filter((kind) => !this.#reportedAt.has(kind)).slice(0, MAX_TYPES_IN_EVENT);
    if (missing.length === 0) return;
    for (const kind of missing) this.#reportedAt.set(kind, now);
    publish({ type: 'jobTypesMissing', at: clock.now(), missing: missing.map((kind) => describe(kind, lost)) });
  }
}

/** Returns a string that is the same for triggers with the same job type and node labels. */
function needsText({ jobType, runsOn = [] }: BacklogTrigger): string {
  return JSON.stringify([jobType, ...[...runsOn].sort()]);
}

function describe(kind: string, backlog: readonly BacklogTrigger[]): MissingJobType {
  const triggers = backlog.filter((each) => needsText(each) === kind);
  const [{ jobType, runsOn = [], triggerKey, nextFireTime }] = triggers as [BacklogTrigger];
  const needed = runsOn.length === 0 ? {} : { labels: runsOn };
  return { jobType, ...needed, triggers: triggers.length, example: triggerKey, waitingSince: nextFireTime };
}
