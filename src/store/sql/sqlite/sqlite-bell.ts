import { type FSWatcher, watch } from 'node:fs';
import { open, utimes } from 'node:fs/promises';
import type { Clock } from '../../../base/clock';
import { WakeSignal } from '../../../base/wake-signal';
import type { Bell } from '../runtime/sql-driver';

const WAIT_MS = 10_000;

/** Rings by changing the times of a file beside the database (`<database>-bell`), which every node on the machine watches. Rings to all nodes. */
export class SqliteBell implements Bell {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #rung: WakeSignal;
  #watcher: FSWatcher | null = null;
  #isClosed = false;

  constructor(databasePath: string, clock: Clock) {
    this.#path = `${databasePath}-bell`;
    this.#clock = clock;
    this.#rung = new WakeSignal(clock);
  }

  async awaitRing(_epoch: string, signal: AbortSignal): Promise<boolean> {
    this.#watcher ??= await this.#watch();
    await this.#rung.waitFor(WAIT_MS, signal);
    const isRung = this.#rung.earliestChange() !== null;
    this.#rung.clear();
    return isRung && !signal.aborted && !this.#isClosed;
  }

  async ring(): Promise<void> {
    const now = this.#clock.now() / 1_000;
    await utimes(this.#path, now, now).catch(() => undefined); // no node has watched the file yet
  }

  /** Ends a wait. */
  close(): void {
    this.#isClosed = true;
    this.#rung.notify(null);
    this.#unwatch();
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  async #watch(): Promise<FSWatcher> {
    await (await open(this.#path, 'a')).close(); // creates a missing file
    const watcher = watch(this.#path, { persistent: false }, (event) => {
      if (event === 'rename') this.#unwatch(); // the file was replaced or deleted; the next wait watches the new one
      this.#rung.notify(null);
    });
    watcher.on('error', () => this.#unwatch());
    return watcher;
  }
}
