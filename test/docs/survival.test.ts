import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  FATES,
  KINDS,
  MEANINGS,
  type Row,
  WAITING,
  WHILE_IT_EXECUTES,
  WHILE_IT_WAITS,
} from '../conformance/survival/table';

const GUIDE = resolve(__dirname, '../../docs/guides/guarantees.md');
const BEGIN =
  '<!-- generated from test/conformance/survival/table.ts: run test/docs/survival.test.ts with UPDATE_BASELINE=1 -->\n';
const END = '<!-- end of the generated part -->\n';

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}

const cellsOf = (rows: readonly Row[]) => rows.map(({ text, cells }) => [text, ...KINDS.map((kind) => cells[kind])]);

function generated(): string {
  const executing = table(['while it executes', ...KINDS], cellsOf(WHILE_IT_EXECUTES));
  const what = ['*what waits*', ...KINDS.map((kind) => `*${WAITING[kind]}*`)];
  const waiting = table(['while it waits', ...KINDS], [what, ...cellsOf(WHILE_IT_WAITS)]);
  const kinds = table(
    ['kind', 'a job that'],
    KINDS.map((kind) => [kind, MEANINGS[kind]]),
  );
  const fates = table(
    ['fate', 'meaning'],
    Object.entries(FATES).map(([fate, meaning]) => [`**${fate}**`, meaning]),
  );
  return `\n${[executing, waiting, kinds, fates].join('\n\n')}\n\n`;
}

it('the guide Guarantees has the same table of fates as the conformance suite', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const [before = '', rest = ''] = guide.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const expected = `${before}${BEGIN}${generated()}${END}${after}`;
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(GUIDE, expected);
  else expect(guide).toBe(expected);
});
