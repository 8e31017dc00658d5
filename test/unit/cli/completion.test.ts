import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../src/cli/program';
import { memoryOutput } from '../../support/memory-output';
import { proves } from '../../support/proves';

async function completion(shell: string) {
  const { output, stdout } = memoryOutput();
  return { code: await runProgram(['completion', shell], { output, env: {}, folder: '/' }), script: stdout() };
}

it('bash completion completes commands, options and values', async () => {
  proves('command-line', 'completion');
  const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-completion-'));
  const script = join(folder, 'completion.bash');
  writeFileSync(script, (await completion('bash')).script);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of bash
  const lookUp = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quartz; echo "${COMPREPLY[*]-}"';
  const completed = (...words: readonly string[]) =>
    execFileSync('bash', ['-uc', lookUp, script, ...words], { encoding: 'utf8' }).trim();
  expect(completed('quartz', 'trig')).toBe('triggers');
  expect(completed('quartz', 'pause', '')).toBe('job trigger all group --help');
  expect(completed('quartz', 'triggers', 'list', '--st')).toBe('--state');
  expect(completed('quartz', 'triggers', 'list', '--state', 'PAUS')).toBe('PAUSED PAUSED_BLOCKED');
  expect(completed('quartz', 'jobs', '--config', '')).toBe('');
  expect(completed('quartz', 'completion', 'f')).toBe('fish');
  rmSync(folder, { recursive: true, force: true });
});

it('completion scripts exist for zsh and fish, but not for other shells', async () => {
  for (const shell of ['zsh', 'fish']) expect((await completion(shell)).script).toContain('set-retries');
  expect((await completion('tcsh')).code).toBe(2);
});
