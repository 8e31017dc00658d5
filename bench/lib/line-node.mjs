import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * A scheduler in a process of its own that speaks the harness's lines: READY; a line on its input starts it; `P count`
 * while it fires; another line stops it; `R {json}` is its result. Ours and the real Quartz speak the same.
 */
export class LineNode {
  #child;
  #waiting = [];

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
    this.#child.on('exit', (code) => this.#hear(`EXIT ${code}`));
  }

  get pid() {
    return this.#child.pid;
  }

  say() {
    this.#child.stdin.write('\n');
  }

  /** Resolves with the first line that `matches`; rejects when the process ends before. */
  hear(matches) {
    return new Promise((resolve, reject) => this.#waiting.push({ matches, resolve, reject }));
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  #hear(line) {
    for (const waiter of [...this.#waiting]) {
      if (waiter.matches(line)) waiter.resolve(line);
      else if (line.startsWith('EXIT')) waiter.reject(new Error(`the process ended: ${line}`));
      else continue;
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    }
  }
}

/** Runs one node until it has fired `count` times (or `maxSeconds` are over); returns its result. */
export async function drain(node, count, maxSeconds) {
  await node.hear((line) => line === 'READY');
  const enough = node.hear((line) => line.startsWith('P ') && Number(line.slice(2)) >= count);
  let timer;
  const cut = new Promise((resolve) => {
    timer = setTimeout(resolve, maxSeconds * 1000, 'cut');
  });
  node.say();
  const ended = await Promise.race([enough, cut]);
  clearTimeout(timer);
  const result = node.hear((line) => line.startsWith('R '));
  node.say();
  return { cut: ended === 'cut', ...JSON.parse((await result).slice(2)) };
}
