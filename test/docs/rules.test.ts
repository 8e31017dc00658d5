import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RULE_DIFFERENCES } from '../../src/domain/rules';
import differences from '../golden/default-differences.json';
import {
  type AnsweredTriggerRow,
  answerOfCalendar,
  answerOfCron,
  answerOfMisfire,
  answerOfTrigger,
  type CalendarRow,
  type CronRow,
  goldenRows,
  type MisfireRow,
} from '../support/golden-answers';

const GUIDE = resolve(__dirname, '../../docs/guides/migrating-from-quartz.md');
const BEGIN =
  '<!-- generated from src/domain/rules.ts and test/golden/default-differences.json: run test/docs/rules.test.ts with UPDATE_BASELINE=1 -->\n';
const END = '<!-- end of the generated part -->\n';

type Row = { readonly id: string };
type Answer = (row: never, rules: 'quartz' | 'safe') => unknown;

const CORPORA: Readonly<Record<string, Answer>> = {
  cron: answerOfCron as (row: CronRow, rules: 'quartz' | 'safe') => unknown,
  calendars: answerOfCalendar as (row: CalendarRow, rules: 'quartz' | 'safe') => unknown,
  triggers: answerOfTrigger as (row: AnsweredTriggerRow, rules: 'quartz' | 'safe') => unknown,
  misfire: answerOfMisfire as (row: MisfireRow, rules: 'quartz' | 'safe') => unknown,
};
const rowsOf = Object.fromEntries(
  Object.keys(CORPORA).map((corpus) => [corpus, goldenRows<Row>(`${corpus}.jsonl`)] as const),
);

/** First pair of values that differ. */
function firstDifference(a: unknown, b: unknown): readonly [unknown, unknown] | null {
  if (JSON.stringify(a) === JSON.stringify(b)) return null;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return [a, b];
  for (const [key, value] of Object.entries(a)) {
    const found = firstDifference(value, (b as Readonly<Record<string, unknown>>)[key]);
    if (found !== null) return found;
  }
  return null;
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'included' : 'excluded';
  return new Date(value as number)
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, '');
}

function answersTo({ id }: Row): readonly string[] {
  for (const [corpus, answer] of Object.entries(CORPORA)) {
    const row = rowsOf[corpus]?.find((each) => each.id === id);
    if (row === undefined) continue;
    const [quartz, safe] = (['quartz', 'safe'] as const).map((rules) => answer(row as never, rules));
    return (firstDifference(quartz, safe) ?? []).map(shown);
  }
  throw new Error(`Expected a row with the id ${id}, found none.`);
}

const table = (rows: readonly (readonly (string | number)[])[]) => rows.map((cells) => `| ${cells.join(' | ')} |`);

function generated(): string {
  const rules = RULE_DIFFERENCES.map(({ name, quartz, safe }) => [name, quartz, safe]);
  const counted = differences.map(({ rule, example, ids }) => ({
    rule,
    example,
    count: Object.values(ids).flat().length,
  }));
  const examples = counted.map(({ rule, example, count }) => [rule, count, example.case, ...answersTo(example)]);
  const total = Object.values(rowsOf).reduce((sum, rows) => sum + rows.length, 0);
  const differing = counted.reduce((sum, { count }) => sum + count, 0);
  return [
    ...table([['rule', 'Quartz', 'here, by default'], ['---', '---', '---'], ...rules]),
    '',
    `Of ${total.toLocaleString('en')} recorded answers of Quartz 2.3.2 about fire times, calendars and misfires, ${differing} differ by default. Times are UTC:`,
    '',
    ...table([
      ['rule', 'answers', 'for example', 'Quartz', 'by default'],
      ['---', '--:', '---', '---', '---'],
      ...examples,
    ]),
    '',
  ].join('\n');
}

it('the guide lists every rule that differs from Quartz, and the number of answers that differ', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const [before = '', rest = ''] = guide.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const expected = `${before}${BEGIN}\n${generated()}\n${END}${after}`;
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(GUIDE, expected);
  else expect(guide).toBe(expected);
});
