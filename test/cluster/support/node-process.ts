import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

type Answer =
  | { readonly type: 'done'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | { readonly type: 'event'; readonly event: string; readonly mono: number };

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node.js itself, such as `--expose-gc`. */
  readonly execArgv?: readonly string[];
}

/** A node in a separate process; see node.cjs for its commands. */
export class NodeProcess {
  readonly name: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting: { readonly event: string; readonly seen: (mono: number) => void }[] = [];
  #count = 0;

  constructor(name: string, { env = {}, execArgv = [] }: ProcessOptions = {}) {
    this.name = name;
    this.#child = fork(join(__dirname, 'node.cjs'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [...execArgv],
      env: { ...process.env, ...env },
    });
    this.#child.on('message', (message: Answer) => this.#hear(message));
    this.ended = new Promise((resolve) => this.#child.once('exit', () => resolve()));
    void this.ended.then(() => {
      for (const { reject } of this.#pending.values()) reject(new Error(`${name} has ended.`));
      this.#pending.clear();
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** `undefined` while the process runs, `null` if a signal ended it. */
  get exitCode(): number | null | undefined {
    return this.isAlive ? undefined : this.#child.exitCode;
  }

  get signal(): string | null {
    return this.#child.signalCode;
  }

  /** Runs a command. Rejects with its error, or if the process ends before it has answered. */
  command(command: string, parameters: object = {}): Promise<unknown> {
    if (!this.isAlive) return Promise.reject(new Error(`${this.name} has ended.`));
    const id = ++this.#count;
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#child.send({ id, command, ...parameters }, () => {});
    return answer;
  }

  /**
   * Resolves when the node next reports the event, or the start of a job (`start NAME`, if its data have `tell`), with the time of the machine's
   * monotonic clock.
   */
  seen(event: string): Promise<number> {
    return new Promise((seen) => this.#waiting.push({ event, seen }));
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #hear(message: Answer): void {
    if (message.type === 'event') {
      for (const { event, seen } of this.#waiting) if (event === message.event) seen(message.mono);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'done') pending?.resolve(message.result);
    else pending?.reject(new Error(message.message));
  }
}
