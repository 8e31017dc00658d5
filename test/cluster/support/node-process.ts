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
  /** Of Node itself, as `--expose-gc`. */
  readonly execArgv?: readonly string[];
}

/** A node in a process of its own; see node.cjs for its commands. */
export class NodeProcess {
  readonly name: string;
  /** Resolves when the process is gone. */
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

  /** `undefined` while it lives, `null` when a signal ended it. */
  get exitCode(): number | null | undefined {
    return this.isAlive ? undefined : this.#child.exitCode;
  }

  get signal(): string | null {
    return this.#child.signalCode;
  }

  /** Rejects with what the command failed with, or when the process ends before it has answered. */
  command(command: string, parameters: object = {}): Promise<unknown> {
    if (!this.isAlive) return Promise.reject(new Error(`${this.name} has ended.`));
    const id = ++this.#count;
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#child.send({ id, command, ...parameters }, () => {});
    return answer;
  }

  /**
   * Resolves when the node next tells of such an event, or of a job that begins (`start NAME`, if its data say `tell`), to
   * when that was on the machine's monotonic clock.
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
