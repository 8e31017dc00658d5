import { join } from 'node:path';
import type { CommandContext } from '../../../../src/cli/command';
import { freshDist } from '../../../support/fresh-dist';

/** What a command came to. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Write = (text: string) => unknown;

/** Runs the built command in this process, in the folder `/`; `env` is all it knows of the environment. */
export function command(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  write?: Write,
): Promise<Answer> {
  return commandIn({ env, folder: '/' }, args, write);
}

/** The same, in other surroundings. */
export async function commandIn(
  surroundings: Omit<CommandContext, 'output'>,
  args: readonly string[],
  write?: Write,
): Promise<Answer> {
  const dist = freshDist();
  const { runProgram } = require(join(dist, 'cli/program.js')) as typeof import('../../../../src/cli/program');
  const { Output } = require(join(dist, 'cli/output.js')) as typeof import('../../../../src/cli/output');
  const written = { stdout: '', stderr: '' };
  const streamTo = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const stdout = write === undefined ? streamTo('stdout') : { write };
  const output = new Output({ stdout, stderr: streamTo('stderr'), colors: { stdout: false, stderr: false } });
  return { code: await runProgram([...args], { ...surroundings, output }), ...written };
}

/** The options that the help of a command names. */
export async function optionsOf(name: string): Promise<readonly string[]> {
  const { stdout } = await command([...name.split(' '), '--help']);
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
  return options.filter((option) => option !== '--help');
}
