import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

const MAIN = resolve(__dirname, '../../dist/cli/main.js');

export interface CliProcess {
  readonly child: ChildProcess;
  /** Resolves when the text has appeared on either stream; rejects when the process ends without it. */
  seen(text: string): Promise<void>;
  /** What it has written so far. */
  output(): string;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

/** The built command line as a process of its own. Whoever starts it has seen to it that `dist` is fresh. */
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
  const ended = new Promise<Awaited<CliProcess['ended']>>((done) => {
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
