import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import { WakeSignal } from '../../base/wake-signal';
import type { Client } from '../../operations/client';
import { Problem } from '../../operations/problem';
import type { Followed, FollowedLine, FollowedProgress, Said } from './target';

/** Between two attempts to reach a stream that was lost. Milliseconds. */
const AGAIN_AFTER_MS = 1_000;
/** What no event tells, such as a lease that runs out. */
const LOOK_AT_LEAST_EVERY_MS = 5_000;
/** So many changes are told at once, or so few: there is a look this often at the most. */
const LOOK_AT_MOST_EVERY_MS = 500;

/** What a server streams, over connections that are made again when they are lost. */
export class ServerStreams {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #changed: WakeSignal;
  #listening: Promise<void> | null = null;
  #isOpen = false;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#changed = new WakeSignal(clock);
  }

  /** As `Target.followLines`. */
  async followLines(runId: string, tell: (said: Said) => void, signal: AbortSignal): Promise<Followed> {
    let lines = 0;
    while (!signal.aborted) {
      try {
        const options = { lastEventId: String(lines), signal };
        for await (const { name, id, data } of this.#client.listen({ runId }, options)) {
          if (name === 'end') return { isWhole: true, lines };
          if (name === 'progress') tell({ type: 'progress', progress: data as FollowedProgress });
          // That of a message without one is the one before.
          if (id === null || Number(id) <= lines) continue;
          lines = Number(id);
          if (name === 'gap') tell({ type: 'gap', lines: (data as { readonly lines: number }).lines });
          if (name === 'line') tell({ type: 'line', line: data as FollowedLine });
        }
      } catch (error) {
        if (error instanceof Problem) break;
        await sleepFor(this.#clock, AGAIN_AFTER_MS, signal);
      }
    }
    return { isWhole: false, lines };
  }

  /** As `Target.untilChange`. */
  async untilChange(signal: AbortSignal): Promise<void> {
    this.#listening ??= this.#listen();
    await sleepFor(this.#clock, LOOK_AT_MOST_EVERY_MS, signal);
    const longest = this.#isOpen ? LOOK_AT_LEAST_EVERY_MS : AGAIN_AFTER_MS;
    await this.#changed.waitFor(longest - LOOK_AT_MOST_EVERY_MS, signal);
    this.#changed.clear();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#listening;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closing;
    let lastEventId: string | null = null;
    const onOpen = () => {
      this.#isOpen = true;
    };
    while (!signal.aborted) {
      try {
        for await (const { id } of this.#client.listen('events', { lastEventId, signal, onOpen })) {
          lastEventId = id;
          this.#changed.notify(null);
        }
      } catch {
        // the next look has the same trouble, and tells of it
      }
      this.#isOpen = false;
      await sleepFor(this.#clock, AGAIN_AFTER_MS, signal);
    }
  }
}
