import type { Clock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import { WakeSignal } from '../../base/wake-signal';
import type { Client } from '../../operations/client';
import { Problem } from '../../operations/problem';
import type { Followed, FollowedLine, FollowedProgress, RunUpdate } from './target';

/** Delay before a lost stream is reconnected, in milliseconds. */
const AGAIN_AFTER_MS = 1_000;
/** Maximum interval between two polls, in milliseconds. Some changes, such as an expired lease, cause no event. */
const MAX_POLL_INTERVAL_MS = 5_000;
/** Minimum interval between two polls in milliseconds, even if many events arrive. */
const MIN_POLL_INTERVAL_MS = 500;

/** Event streams from a server. Reconnects a lost stream after a second. */
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

  async followLines(runId: string, report: (update: RunUpdate) => void, signal: AbortSignal): Promise<Followed> {
    let lines = 0;
    while (!signal.aborted) {
      try {
        const options = { lastEventId: String(lines), signal };
        for await (const { name, id, data } of this.#client.listen({ runId }, options)) {
          if (name === 'end') return { isWhole: true, lines };
          if (name === 'progress') report({ type: 'progress', progress: data as FollowedProgress });
          // The client reports a message without an id with the id of the previous message.
          if (id === null || Number(id) <= lines) continue;
          lines = Number(id);
          if (name === 'gap') report({ type: 'gap', lines: (data as { readonly lines: number }).lines });
          if (name === 'line') report({ type: 'line', line: data as FollowedLine });
        }
      } catch (error) {
        if (error instanceof Problem) break;
        await sleepFor(this.#clock, AGAIN_AFTER_MS, signal);
      }
    }
    return { isWhole: false, lines };
  }

  async untilChange(signal: AbortSignal): Promise<void> {
    this.#listening ??= this.#listen();
    await sleepFor(this.#clock, MIN_POLL_INTERVAL_MS, signal);
    const maxInterval = this.#isOpen ? MAX_POLL_INTERVAL_MS : AGAIN_AFTER_MS;
    await this.#changed.waitFor(maxInterval - MIN_POLL_INTERVAL_MS, signal);
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
        // the next poll fails too and reports the error
      }
      this.#isOpen = false;
      await sleepFor(this.#clock, AGAIN_AFTER_MS, signal);
    }
  }
}
