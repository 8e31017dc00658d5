import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ERROR_CODES } from '../../src/base/errors';

const page = readFileSync(resolve(__dirname, '../../docs/reference/errors.md'), 'utf8');

it('docs/reference/errors.md has every error code with its meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [code, meaning]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_CODES);
});
