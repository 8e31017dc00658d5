import type { Clock, EpochMs } from '../base/clock';
import { sleepFor } from '../base/sleep';
import type { RefusedJobType } from '../domain/node-load';
import type { JobRegistry } from './job-registry';

interface FactoryPausesParts {
  readonly clock: Clock;
  readonly registry: Pick<JobRegistry, 'types' | 'onChanged'>;
  /** Receives the refused job types after each change. Check-ins publish them. */
  readonly load: { refusedTypes: readonly RefusedJobType[] };
  /** Called when this node may acquire triggers of a job type again. */
  readonly onEnd: () => void;
}

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

interface Pause {
  readonly since: EpochMs;
  readonly until: EpochMs;
  readonly duration: number;
  readonly ended: AbortController;
  isOver: boolean;
}

/**
 * Job types that this node does not acquire, because their job objects could not be created. Otherwise one broken node, which fails within
 * microseconds, would take the work of all nodes. The pause doubles from 1 s to 60 s until the job object of a firing is created.
 */
export class FactoryPauses {
  readonly #parts: FactoryPausesParts;
  readonly #pauses = new Map<string, Pause>();
  #available: readonly string[] | null = null;

  constructor(parts: FactoryPausesParts) {
    this.#parts = parts;
    parts.registry.onChanged(() => this.clear());
  }

  /** Job types that this node may acquire. Returns the same array until a registration, or until a pause begins or ends. */
  types(): readonly string[] {
    if (this.#pauses.size === 0) return this.#parts.registry.types();
    this.#available ??= this.#parts.registry.types().filter((type) => this.#pauses.get(type)?.isOver !== false);
    return this.#available;
  }

  /** Begins a pause, or returns the end of the present one: all firings of a batch that fail together lengthen it only once. */
  failed(type: string): EpochMs {
    const { clock } = this.#parts;
    const before = this.#pauses.get(type);
    if (before?.isOver === false) return before.until;
    const now = clock.now();
    const duration = before === undefined ? FIRST_PAUSE_MS : Math.min(MAX_PAUSE_MS, before.duration * 2);
    const until = now + duration;
    const pause = { since: before?.since ?? now, until, duration, ended: new AbortController(), isOver: false };
    this.#pauses.set(type, pause);
    this.#changed();
    void this.#wakeAtEnd(pause);
    return until;
  }

  /** Ends the pause of a job type, because a job object was created. */
  worked(type: string): void {
    if (this.#pauses.size > 0) this.#end([type]);
  }

  /** Ends all pauses, because the registered jobs or the factory have changed. */
  clear(): void {
    this.#end([...this.#pauses.keys()]);
    this.#available = null;
  }

  #end(types: readonly string[]): void {
    const ended = types.flatMap((type) => this.#pauses.get(type) ?? []);
    if (ended.length === 0) return;
    for (const type of types) this.#pauses.delete(type);
    for (const pause of ended) pause.ended.abort();
    this.#changed();
    this.#parts.onEnd();
  }

  #changed(): void {
    this.#available = null;
    this.#parts.load.refusedTypes = [...this.#pauses].map(([jobType, { since, until }]) => ({
      jobType,
      since: Math.round(since),
      until: Math.round(until),
    }));
  }

  /** Wakes the loop when the pause ends, even if nothing else would. */
  async #wakeAtEnd(pause: Pause): Promise<void> {
    const { clock, onEnd } = this.#parts;
    await sleepFor(clock, pause.duration, pause.ended.signal);
    pause.isOver = true;
    if (pause.ended.signal.aborted) return;
    this.#available = null;
    onEnd();
  }
}
