import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Processes that have not ended. None outlives this one. */
const living = new Set();
process.on('exit', killAll);

export function killAll() {
  for (const node of living) node.kill();
}

/**
 * A scheduler in a process of its own with the line protocol of the harness: it prints READY; a line on its input starts it; it prints `P count`
 * while it fires; another line stops it; it prints its result as `R {json}`. Our nodes and the real Quartz use the same protocol.
 */
export class LineNode {
  #child;
  #waiting = [];
  #count = 0;
  #onCount = () => {};

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin.on('error', () => {}); // it has ended, which its exit event reports
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
    living.add(this);
    this.#child.on('exit', (code, signal) => {
      living.delete(this);
      this.#hear(`EXIT ${code ?? signal}`);
    });
  }

  /** Number of started jobs that it has reported. */
  get count() {
    return this.#count;
  }

  /** Sets the function that is called with every reported count. */
  onCount(callback) {
    this.#onCount = callback;
  }

  say() {
    this.#child.stdin.write('\n');
  }

  /** Resolves with the first line that `matches`; rejects when the process ends before. */
  hear(matches) {
    if (!living.has(this)) return Promise.reject(new Error('the process has ended'));
    return new Promise((resolve, reject) => this.#waiting.push({ matches, resolve, reject }));
  }

  ready() {
    return this.hear((line) => line === 'READY');
  }

  /** Resolves with its result, which it prints when it is stopped or has finished. */
  async result() {
    return JSON.parse((await this.hear((line) => line.startsWith('R '))).slice(2));
  }

  stop() {
    const result = this.result();
    this.say();
    return result;
  }

  /** Resolves when the process is gone; rejects when it failed. */
  async exit() {
    if (!living.has(this)) return;
    const line = await this.hear((text) => text.startsWith('EXIT'));
    if (line !== 'EXIT 0') throw new Error(`the process ended: ${line}`);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  #hear(line) {
    if (line.startsWith('P ')) {
      this.#count = Number(line.slice(2));
      this.#onCount(this.#count);
    }
    for (const waiter of [...this.#waiting]) {
      if (waiter.matches(line)) waiter.resolve(line);
      else if (line.startsWith('EXIT')) waiter.reject(new Error(`the process ended: ${line}`));
      else continue;
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    }
  }
}

/** Lets nodes that are READY fire until they have fired `count` times together. Resolves with false if that takes longer than `maxSeconds`. */
export async function fireUntil(nodes, count, maxSeconds) {
  let timer;
  const done = new Promise((resolve, reject) => {
    timer = setTimeout(resolve, maxSeconds * 1_000, false);
    const check = () => nodes.reduce((sum, node) => sum + node.count, 0) >= count && resolve(true);
    for (const node of nodes) {
      node.onCount(check);
      node.hear((line) => line.startsWith('R ')).catch(reject); // ended before it was stopped
    }
  });
  for (const node of nodes) node.say();
  try {
    return await done;
  } finally {
    clearTimeout(timer);
  }
}
