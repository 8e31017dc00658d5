import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT_CODES } from '../../src/cli/exit-codes';
import { Output } from '../../src/cli/output';
import { runProgram } from '../../src/cli/program';

const page = readFileSync(resolve(__dirname, '../../docs/reference/command-line.md'), 'utf8');

it('docs/reference/command-line.md has every exit code with its meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, when]) => ({ code: Number(code), when }));
  expect(rows).toEqual(Object.values(EXIT_CODES));
});

it.each([
  ['demo'],
  ['run'],
  ['cron next'],
  ['cron explain'],
  ['cron validate'],
  ['validate'],
  ['migrate'],
])('docs/reference/command-line.md names every option of `%s`', async (command) => {
  let help = '';
  const sink = { write: (text: string) => (help += text) };
  const output = new Output({ stdout: sink, stderr: sink, colors: { stdout: false, stderr: false } });
  await runProgram([...command.split(' '), '--help'], { output, env: {}, folder: '/' });
  const options = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option]) => option);
  expect(options).toContain('--json');
  const section = page.split(/^## /m).find((each) => each.startsWith(`\`${command}`)) ?? '';
  expect(options.filter((option) => option !== '--help' && !section.includes(`\`${option}`))).toEqual([]);
});
