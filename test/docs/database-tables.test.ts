import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const textOf = (file: string) => readFileSync(resolve(__dirname, '../..', file), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name).sort();

/** Tables of one engine. Those of Quartz itself have no X in their names. */
const tablesOf = (engine: string) =>
  namesIn(textOf(`sql/${engine}/schema.sql`), /^CREATE TABLE IF NOT EXISTS (QRTZ_\w+)/gm);

describe('the tables', () => {
  const tables = tablesOf('mysql');
  const own = tables.filter((name) => name.startsWith('QRTZ_X_'));

  it('are the same on both engines', () => {
    expect(tables.length).toBeGreaterThan(20);
    expect(tablesOf('sqlite')).toEqual(tables);
  });

  it('with the prefix QRTZ_X_ are each listed once in docs/guides/database.md', () => {
    const section = textOf('docs/guides/database.md').split('\n## Tables\n')[1]?.split('\n\n')[0] ?? '';
    expect(section).toContain(`The ${tables.length - own.length} tables of Quartz 2.x`);
    expect(namesIn(section, /`(QRTZ_\w+)`/g).filter((name) => name !== 'QRTZ_')).toEqual(own);
  });

  it('named in documents exist', () => {
    const pages = [
      'ARCHITECTURE.md',
      'README.md',
      'sql/README.md',
      'docs/guides/database.md',
      'docs/guides/cluster.md',
    ];
    const named = pages.flatMap((page) => namesIn(textOf(page), /\b(QRTZ_X?_?[A-Z_]{3,})\b/g));
    expect(named.filter((name) => !tables.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(own.length);
  });
});
