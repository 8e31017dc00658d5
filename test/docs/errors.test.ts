import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ERROR_CODES } from '../../src/base/errors';
import { EXIT_CODES, type ExitReason } from '../../src/cli/exit-codes';

const PAGE = resolve(__dirname, '../../docs/reference/errors.md');
const TABLE = /^\| code \|.*(?:\n\|.*)+/m;

it('docs/reference/errors.md lists every error code with its meaning, and no other (UPDATE_BASELINE=1 writes them)', () => {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, exit, when }]) =>
      `| \`${code}\` | ${status} | ${EXIT_CODES[exit as ExitReason].code} | ${when} |`,
  );
  const table = ['| code | HTTP | exit | |', '|---|---|---|---|', ...rows].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  if (process.env.UPDATE_BASELINE === '1')
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  expect(TABLE.exec(readFileSync(PAGE, 'utf8'))?.[0]).toBe(table);
});
