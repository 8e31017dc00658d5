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
  it('have a test each', () => {
    expect([...new Set(rows.map(([threat]) => threat))]).toEqual(THREATS);
  });

  it.each(rows)('%s, %s: %s has its test', (_, __, file = '', name = '') => {
    // A title, at the beginning of a text and not only somewhere in the file.
    const text = readFileSync(join(ROOT, file), 'utf8');
    const titles = [`'${name}`, `"${name}`, `'%s ${name}`];
    expect([name, titles.some((title) => text.includes(title))]).toEqual([name, true]);
  });
});
