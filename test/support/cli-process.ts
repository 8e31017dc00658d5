import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const MAIN = resolve(__dirname, '../../dist/cli/main.js');
const BATCH = resolve(__dirname, 'cli-batch.cjs');

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  /** Resolves when the text has appeared on either stream. Rejects if the process ends without it. */
  seen(text: string): Promise<void>;
  /** Output so far. */
  output(): string;
  readonly ended: Promise<CliEnd>;
}

/** Starts the built command line as a separate process. The caller must check that `dist` is fresh. */
export function startCli(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
): CliProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  const waiting = new Map<() => void, string>();
  const check = () => {
    for (const [appeared, text] of waiting) if ((written.stdout + written.stderr).includes(text)) appeared();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
      check();
    });
  }
  const ended = new Promise<CliEnd>((done) => {
    child.once('close', (code) => done({ code, ...written }));
  });
  const seen = (text: string) =>
    new Promise<void>((appeared, reject) => {
      waiting.set(appeared, text);
      check();
      void ended.then(({ stdout, stderr }) => reject(new Error(`'${text}' never appeared in:\n${stdout}\n${stderr}`)));
    });
  return { child, seen, output: () => written.stdout + written.stderr, ended };
}

/** Runs built commands one after the other in one process, which is much faster. Signals and standard input need `startCli`. */
export async function runClis(commands: readonly (readonly string[])[], folder: string): Promise<readonly CliEnd[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [BATCH, JSON.stringify(commands)], { cwd: folder });
  return JSON.parse(stdout) as readonly CliEnd[];
}
