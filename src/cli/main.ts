#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { VERSION } from '../base/version';
import type { Person } from './command';
import { Output, processStreams } from './output';

// If the reader of the output closes early (`… | head`), the command must neither fail nor stop a running scheduler.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) process.stdout.write(`${VERSION}\n`);
else void runCommand();

async function runCommand(): Promise<void> {
  const { runProgram } = await import('./program'); // on demand: the commands load all operations, which `--version` does not need
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const code = await runProgram(args, {
    output: new Output(processStreams(process.env)),
    env: process.env,
    folder: process.cwd(),
    readStandardInput: () => text(process.stdin),
    ...(isTerminal ? { person: personAtTerminal() } : {}),
  });
  // Ends the process after the output is written, even if jobs left connections or timers open or are still running.
  process.stdout.write('', () => process.exit(code));
}

function personAtTerminal(): Person {
  return {
    prompt: (question) => answerTo(question, process.stderr),
    async promptSecret(question) {
      process.stderr.write(question);
      const answer = await answerTo('', new Writable({ write: (_, __, done) => done() }));
      process.stderr.write('\n');
      return answer;
    },
    // Splits at spaces as git does, so that the editor can have arguments: EDITOR='code --wait'.
    edit: (editor, file) =>
      new Promise((resolve, reject) => {
        const [program = 'vi', ...args] = editor.trim().split(/\s+/);
        const child = spawn(program, [...args, file], { stdio: 'inherit' });
        child.once('error', reject);
        child.once('close', (code) => resolve(code ?? 1));
      }),
  };
}

async function answerTo(question: string, shownAt: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: shownAt, terminal: true });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}
