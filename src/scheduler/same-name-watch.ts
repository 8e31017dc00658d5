import { sharedValue } from '../base/shared-class';

/** Started schedulers with a memory store in this process, by name: those of all copies of this package, because a hot reload may load it again. */
const started = sharedValue('startedInMemory', () => new Map<string, number>());

/** Counts one scheduler with a memory store among the started ones of this process. */
export class NameInMemory {
  readonly #name: string;
  readonly #warn: (message: string) => void;
  #isCounted = false;

  constructor(name: string, warn: (message: string) => void) {
    this.#name = name;
    this.#warn = warn;
  }

  /** Warns if a scheduler of the same name already runs in this process: each of them then runs every job. A second start counts nothing. */
  start(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    const others = started.get(this.#name) ?? 0;
    started.set(this.#name, others + 1);
    if (others > 0) this.#warn(warningOf(this.#name, others));
  }

  /** Ends the count of a started scheduler that has shut down. */
  end(): void {
    if (!this.#isCounted) return;
    const left = (started.get(this.#name) ?? 0) - 1;
    if (left > 0) started.set(this.#name, left);
    else started.delete(this.#name);
  }
}

function warningOf(name: string, others: number): string {
  const count = others === 1 ? 'Another scheduler' : `${others} other schedulers`;
  return (
    `${count} named '${name}' already ${others === 1 ? 'runs' : 'run'} in this process with a memory store, so each job runs ${others + 1} times. If the ` +
    'start-up code runs twice (hot reload), call shutdown() before it runs again. Otherwise give each scheduler its own scheduler.instanceName.'
  );
}
