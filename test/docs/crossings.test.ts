import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FIELDS, type Field, SEPARATE } from '../crossings/fields';
import { CROSSINGS, decidedPairs } from '../crossings/table';

const ROOT = resolve(__dirname, '../..');
const GUIDE = join(ROOT, 'docs/guides/how-policies-combine.md');

/** Names of the fields in the guide. */
const NAMES: Readonly<Record<Field, string>> = {
  retry: '`retry`',
  history: '`history`',
  startWithin: '`startWithin`',
  mustSucceedWithin: '`mustSucceedWithin`',
  concurrency: '`concurrency`',
  rate: '`rate`',
  timeout: '`timeout`',
  catchUp: '`catchUp`',
  spread: '`spread`',
  runsOn: '`runsOn`',
  prefers: '`prefers`',
  overlap: '`overlap`',
  jitter: '`jitter`',
  clockChanges: '`clockChanges`',
  durable: '`durable`',
  disallowConcurrentExecution: '`disallowConcurrentExecution`',
  persistJobDataAfterExecution: '`persistJobDataAfterExecution`',
  requestsRecovery: 'recovery',
  priority: '`priority`',
  calendarName: 'a calendar',
  misfireInstruction: 'misfires',
  endTime: 'an end time',
  after: 'chains (`after`)',
  pause: 'pauses',
  backfill: 'backfills',
  rerun: 'reruns',
  delete: 'deleting',
};

/** Source text of the tests of an area. */
function sourceOf(area: string): string {
  const file = area.startsWith('unit/') ? `test/${area}.test.ts` : `test/conformance/areas/${area}.ts`;
  return existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';
}

/** Returns true if the area has a test with this title. */
function isShown(proof: string): boolean {
  const [, area = '', title = ''] = /^([\w/-]+): (.*)$/.exec(proof) ?? [];
  const source = sourceOf(area);
  return [`'${title}'`, `"${title}"`, `\`${title}\``].some((each) => source.includes(each));
}

/** A section for each field, with the pairs that no earlier section contains. */
function sections(): string {
  return FIELDS.flatMap((field) => {
    const rows = decidedPairs().filter(({ fields: [first] }) => first === field);
    if (rows.length === 0) return [];
    const lines = rows.map(({ fields: [, second], rule }) => {
      const text = rule.kind === 'refused' ? `Refused when it is built: ${rule.text.toLowerCase()}` : rule.text;
      return `| ${NAMES[second]} | ${text} |`;
    });
    return [`### ${NAMES[field]}`, '', '| with | what happens |', '|---|---|', ...lines, ''];
  }).join('\n');
}

const BEGIN = '<!-- generated from test/crossings/table.ts: run the test of it with UPDATE_BASELINE=1 -->';

describe('the table of combined policies', () => {
  it('decides every pair of fields', () => {
    const decided = FIELDS.flatMap((field, index) => {
      const row: Readonly<Partial<Record<Field, unknown>>> = CROSSINGS[field];
      expect(Object.keys(row).sort()).toEqual(FIELDS.slice(0, index).sort());
      return Object.values(row);
    });
    expect(decided).toHaveLength((FIELDS.length * (FIELDS.length - 1)) / 2);
    expect(decided.filter((each) => each !== SEPARATE)).toHaveLength(decidedPairs().length);
  });

  it('has a test for each defined or refused pair', () => {
    const proofs = decidedPairs().flatMap(({ rule }) => rule.proofs);
    expect(decidedPairs().filter(({ rule }) => rule.proofs.length === 0)).toEqual([]);
    expect(proofs.filter((proof) => !isShown(proof))).toEqual([]);
    expect(isShown('rates: no such test')).toBe(false);
  });

  it('names every test of the area crossings', () => {
    const titles = [...sourceOf('crossings').matchAll(/(?:it|\)|each\([\w]+\))\('([^']+: [^']+)', /g)].map(
      ([, title]) => title,
    );
    const named = new Set(decidedPairs().flatMap(({ rule }) => rule.proofs));
    expect(titles.length).toBeGreaterThan(15);
    expect(titles.filter((title) => !named.has(`crossings: ${title}`))).toEqual([]);
  });

  it('matches the guide How policies combine', () => {
    const guide = readFileSync(GUIDE, 'utf8');
    const [text = ''] = guide.split(BEGIN);
    const expected = `${text}${BEGIN}\n\n${sections()}`;
    if (process.env.UPDATE_BASELINE === '1') writeFileSync(GUIDE, expected);
    else expect(guide).toBe(expected);
  });

  it('names only existing areas', () => {
    const areas = readdirSync(join(ROOT, 'test/conformance/areas')).map((file) => file.replace(/\.ts$/, ''));
    const named = decidedPairs().flatMap(({ rule }) => rule.proofs.map((proof) => proof.split(': ')[0] ?? ''));
    expect(named.filter((area) => !area.startsWith('unit/') && !areas.includes(area))).toEqual([]);
  });
});
