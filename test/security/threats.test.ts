import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const THREATS = Array.from({ length: 21 }, (_, index) => `T${index + 1}`);
const ROW = /^\| (T\d+) \| ([^|]+) \| `([^`|]+)` \| ([^|]+) \|$/;

const rows = readFileSync(join(__dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| T'))
  .map((line) => ROW.exec(line)?.slice(1) ?? [line]);

describe('the threats', () => {
  it('have at least one test each', () => {
    expect([...new Set(rows.map(([threat]) => threat))]).toEqual(THREATS);
  });

  it.each(rows)('%s (%s): %s contains the test', (_, __, file = '', name = '') => {
    // The name must begin a string, so that other text of the file does not match.
    const text = readFileSync(join(ROOT, file), 'utf8');
    const titles = [`'${name}`, `"${name}`, `'%s ${name}`];
    expect([name, titles.some((title) => text.includes(title))]).toEqual([name, true]);
  });
});
