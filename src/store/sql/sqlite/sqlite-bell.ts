import { closeSync, type FSWatcher, openSync, statSync, watch, writeFileSync } from 'node:fs';
import type { Clock } from '../../../base/clock';
import { WakeSignal } from '../../../base/wake-signal';
import type { Bell } from '../runtime/sql-driver';

const WAIT_MS = 10_000;

/** Rings by writing to a file beside the database (`<database>-bell`), which every node on the machine watches. Rings to all nodes. */
export class SqliteBell implements Bell {
  readonly #databasePath: string;
  readonly #path: string;
  readonly #rung: WakeSignal;
  #watcher: FSWatcher | null = null;
  #isClosed = false;

  constructor(databasePath: string, clock: Clock) {
    this.#databasePath = databasePath;
    this.#path = `${databasePath}-bell`;
    this.#rung = new WakeSignal(clock);
  }

  async awaitRing(_epoch: string, signal: AbortSignal): Promise<boolean> {
    this.#watcher ??= this.#watch();
    await this.#rung.waitFor(WAIT_MS, signal);
    const isRung = this.#rung.earliestChange() !== null;
    this.#rung.clear();
    return isRung && !signal.aborted && !this.#isClosed;
  }

  async ring(): Promise<void> {
    try {
      writeFileSync(this.#path, '.', { flag: 'r+' }); // a few microseconds: not worth a thread
    } catch {
      // No node has watched the file yet.
    }
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

  #watch(): FSWatcher {
    const { mode } = statSync(this.#databasePath);
    closeSync(openSync(this.#path, 'a', mode)); // creates a missing file, for the users of the database
    const watcher = watch(this.#path, { persistent: false }, (event) => {
      if (event === 'rename') this.#unwatch(); // the file was replaced or deleted; the next wait watches the new one
      this.#rung.notify(null);
    });
    watcher.on('error', () => this.#unwatch());
    return watcher;
  }
}
