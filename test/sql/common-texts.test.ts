import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SQL = resolve(__dirname, '../../sql');

/** A statement of sql/queries: the text for every engine, and the texts of the engines that have their own. */
interface Block {
  readonly name: string;
  readonly common: string;
  readonly own: string;
}

const blocks: readonly Block[] = readdirSync(join(SQL, 'queries')).flatMap((file) =>
  readFileSync(join(SQL, 'queries', file), 'utf8')
    .split(/^-- (?:name|part): /m)
    .slice(1)
    .map((block) => {
      const [common = '', ...own] = block.split(/^-- only: .*$/m);
      return {
        name: block.slice(0, block.search(/\s/)),
        common: codeOf(common.slice(common.indexOf('\n'))),
        own: own.map(codeOf).join('\n'),
      };
    }),
);

function codeOf(text: string): string {
  return text.replace(/^--.*$/gm, '').trim();
}

/** Statements that write lock the rows that they write. */
const WRITES = /^(INSERT|UPDATE|DELETE)\b/;

describe('the common text of a statement', () => {
  it('takes a lock if the text of any engine takes one', () => {
    expect(blocks.filter(({ own }) => own.includes('FOR UPDATE')).length).toBeGreaterThan(5);
    const weaker = blocks.filter(
      ({ common, own }) => /FOR (UPDATE|SHARE)/.test(own) && !/FOR (UPDATE|SHARE)/.test(common) && !WRITES.test(common),
    );
    expect(weaker.map(({ name }) => name)).toEqual([]);
  });

  it('waits for locked rows that other engines skip only where sql/README.md says so', () => {
    const waiting = blocks.filter(({ common, own }) => own.includes('SKIP LOCKED') && !common.includes('SKIP LOCKED'));
    const [, listed = ''] =
      /wait for rows that another session has locked[^:]*: ([^.]*)\./.exec(
        readFileSync(join(SQL, 'README.md'), 'utf8'),
      ) ?? [];
    const named = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(waiting.map(({ name }) => name).sort());
  });
});
