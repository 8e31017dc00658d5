import type { Clock } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { nearestName } from '../config/nearest-name';
import type { JobDetail } from '../domain/job-detail';
import { type NodeJobTypes, typesOfNobody } from '../domain/job-types';
import { formatKey } from '../domain/keys';

export interface KnownJobTypesParts {
  /** The types registered here. */
  readonly own: () => readonly string[];
  /** The types of the nodes of the cluster; null: no other node shares the store. */
  readonly readNodes: (() => Promise<readonly NodeJobTypes[]>) | null;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** How long the job types of the other nodes are cached: a node that only schedules what others run does not ask for each job. */
const CACHE_MS = 10_000;

/** Which job types can be run at all: a misspelt one would be stored, and wait for ever. */
export class KnownJobTypes {
  readonly #parts: KnownJobTypesParts;
  #ofNodes: readonly NodeJobTypes[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(parts: KnownJobTypesParts) {
    this.#parts = parts;
  }

  /** Those of the jobs whose type is not registered here. `alsoOwn`: types that are about to be. */
  strangersOf(jobs: readonly JobDetail[], alsoOwn: readonly string[]): readonly JobDetail[] {
    if (jobs.length === 0) return jobs;
    const own = new Set([...this.#parts.own(), ...alsoOwn]);
    return jobs.filter(({ jobType }) => !own.has(jobType));
  }

  /** Rejects with UNKNOWN_JOB_TYPE for the first of the jobs that no node can run, with the nearest type there is. */
  async assertRunElsewhere(jobs: readonly JobDetail[]): Promise<void> {
    const { readNodes, clock } = this.#parts;
    const missing = () => typesOfNobody(distinctTypes(jobs), this.#ofNodes);
    const isFresh = clock.monotonic() - this.#readAt < CACHE_MS;
    if (isFresh && missing().length === 0) return;
    if (readNodes !== null) {
      this.#ofNodes = await readNodes();
      this.#readAt = clock.monotonic();
    }
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
    const where = readNodes === null ? 'and no other process can run it' : 'neither here nor on another node';
    const later =
      nearest === null ? ', or pass registeredLater: true.' : ' If it comes later, pass registeredLater: true.';
    return new SchedulerError(
      'UNKNOWN_JOB_TYPE',
      `Job '${formatKey(key)}' is of type '${jobType}', which is not registered, ${where}. ${hint}${later}`,
    );
  }
}

function distinctTypes(jobs: readonly JobDetail[]): readonly string[] {
  return [...new Set(jobs.map(({ jobType }) => jobType))];
}
