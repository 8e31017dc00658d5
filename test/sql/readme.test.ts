import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sqlFolder } from '../../src/store/sql/runtime/sql-files';

const README = resolve(__dirname, '../../sql/README.md');
const STORE = resolve(__dirname, '../../src/store/sql');
const TABLE = /<!-- statements -->[\s\S]*<!-- \/statements -->/;

const sources = readdirSync(STORE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('statement-names.ts'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(STORE, file), 'utf8') }));

const callersOf = (name: string) =>
  sources.filter(({ text }) => text.includes(`'${name}'`)).map(({ file }) => `\`${file.replace('.ts', '')}\``);

/** `-- Index: … Locks: …` of a statement, as one line each. */
function factsOf(block: string): { readonly index: string; readonly locks: string } {
  const comment = /^-- Index: (.*(?:\n-- .*)*)/m.exec(block)?.[1]?.replace(/\n-- /g, ' ') ?? '';
  const [index = '', locks = ''] = comment.split(/\s*\bLocks: /);
  if (comment === '' && !block.includes('QRTZ_')) return { index: 'reads no table', locks };
  return { index: index.replace(/\.$/, ''), locks: locks.replace(/\.$/, '') };
}

function statementRows(): string[] {
  const folder = join(sqlFolder('mysql'), '../queries');
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const blocks = readFileSync(join(folder, file), 'utf8')
        .split(/^-- name: /m)
        .slice(1);
      return blocks.map((block) => {
        const name = block.slice(0, block.indexOf('\n')).trim();
        const { index, locks } = factsOf(block);
        return `| \`${name}\` | ${file.replace('.sql', '')} | ${callersOf(name).join(', ')} | ${index} | ${locks || '–'} |`;
      });
    });
}

describe('sql/README.md', () => {
  it('lists every statement with its callers, its index and its locks (UPDATE_BASELINE=1 writes the table)', () => {
    const header = ['| statement | file | callers | index | locks |', '|---|---|---|---|---|'];
    const table = ['<!-- statements -->', ...header, ...statementRows(), '<!-- /statements -->'].join('\n');
    const readme = readFileSync(README, 'utf8');
    if (process.env.UPDATE_BASELINE === '1')
      writeFileSync(
        README,
        readme.replace(TABLE, () => table),
      );
    else expect(TABLE.exec(readme)?.[0]).toBe(table);
  });

  it('describes the index of every statement', () => {
    expect(statementRows().filter((row) => / \| {2}\| /.test(row))).toEqual([]);
  });
});
