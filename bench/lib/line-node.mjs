import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Those that live: none outlives this process. */
const living = new Set();
process.on('exit', killAll);

export function killAll() {
  for (const node of living) node.kill();
}

/**
 * A scheduler in a process of its own that speaks the harness's lines: READY; a line on its input starts it; `P count`
 * while it fires; another line stops it; `R {json}` is its result. Ours, the floor and the real Quartz speak the same.
 */
export class LineNode {
  #child;
  #waiting = [];
  #count = 0;
  #onCount = () => {};

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin.on('error', () => {}); // it has ended: whoever waits for it is told
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
    living.add(this);
    this.#child.on('exit', (code, signal) => {
      living.delete(this);
      this.#hear(`EXIT ${code ?? signal}`);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Jobs that have started, as far as it has told. */
  get count() {
    return this.#count;
  }

  /** Called with every count it tells. */
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

  /** What it answers last, when it is stopped or by itself. */
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

/** Lets nodes that are READY fire until they have fired `count` times together; false if `maxSeconds` were over first. */
export async function fireUntil(nodes, count, maxSeconds) {
  let timer;
  const done = new Promise((resolve, reject) => {
    timer = setTimeout(resolve, maxSeconds * 1_000, false);
    const look = () => nodes.reduce((sum, node) => sum + node.count, 0) >= count && resolve(true);
    for (const node of nodes) {
      node.onCount(look);
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

/** Runs one node until it has fired `count` times (or `maxSeconds` are over); returns its result. */
export async function drain(node, count, maxSeconds) {
  await node.ready();
  const finished = await fireUntil([node], count, maxSeconds);
  return { cut: !finished, ...(await node.stop()) };
}
