import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT_CODES } from '../../src/cli/exit-codes';

const page = readFileSync(resolve(__dirname, '../../docs/reference/command-line.md'), 'utf8');

it('docs/reference/command-line.md has every exit code with its meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, when]) => ({ code: Number(code), when }));
  expect(rows).toEqual(Object.values(EXIT_CODES));
});
