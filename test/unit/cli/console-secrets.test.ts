import { hashToken, isPassword, isToken, newToken } from '../../../src/base/secret-hash';
import type { CommandContext } from '../../../src/cli/command';
import { runProgram } from '../../../src/cli/program';
import { memoryOutput } from '../../support/memory-output';
import { proves } from '../../support/proves';

async function consoleCommand(args: readonly string[], surroundings: Partial<CommandContext> = {}) {
  const { output, stdout, stderr } = memoryOutput();
  const code = await runProgram(['console', ...args], { env: {}, folder: '/', ...surroundings, output });
  return { code, stdout: stdout(), stderr: stderr() };
}

const given = (input: string) => ({ readStandardInput: async () => input });

describe('console token', () => {
  it('prints a new token and its hash each time', async () => {
    proves('command-line', 'console token', 'console token --json');
    const made = async () =>
      /^token {2}(\w+)\nhash {3}(sha256:\w+)\n$/.exec((await consoleCommand(['token'])).stdout) ?? [];
    const [[, token = '', hash = ''], [, other]] = [await made(), await made()];
    expect([isToken(token, hash), token === other]).toEqual([true, false]);
    const json = JSON.parse((await consoleCommand(['token', '--json'])).stdout);
    expect(isToken(json.token, json.hash)).toBe(true);
  });

  it('hashes a token from standard input, and refuses a short one', async () => {
    proves('command-line', 'console token --stdin');
    const token = newToken();
    const hashOf = (input: string) => consoleCommand(['token', '--stdin'], given(input));
    expect(await hashOf(`${token}\n`)).toEqual({ code: 0, stdout: `${hashToken(token)}\n`, stderr: '' });
    const { code, stderr } = await hashOf('too-short-a-token');
    expect([code, stderr.includes('too-short')]).toEqual([2, false]);
  });
});

it('console password hashes a password from the prompt or from standard input', async () => {
  proves('command-line', 'console password', 'console password --json');
  const hashOf = (input: string, ...options: readonly string[]) =>
    consoleCommand(['password', ...options], given(input));
  const { code, stdout } = await hashOf('correct horse\n');
  expect([code, await isPassword('correct horse', stdout.trim())]).toEqual([0, true]);
  expect((await hashOf('')).code).toBe(2);
  expect(await isPassword('correct horse', JSON.parse((await hashOf('correct horse', '--json')).stdout).hash)).toBe(
    true,
  );
  const person = { prompt: async () => '', promptSecret: async () => 'typed', edit: async () => 0 };
  expect(await isPassword('typed', (await consoleCommand(['password'], { person })).stdout.trim())).toBe(true);
});
