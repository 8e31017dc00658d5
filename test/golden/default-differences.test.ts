import { RULE_DIFFERENCES } from '../../src/domain/rules';
import {
  type AnsweredTriggerRow,
  answerOfCalendar,
  answerOfCron,
  answerOfMisfire,
  answerOfTrigger,
  type CalendarRow,
  type CodeRow,
  type CronRow,
  goldenRows,
  type MisfireRow,
  type TriggerRow,
} from '../support/golden-answers';
import differences from './default-differences.json';

const triggers = goldenRows<TriggerRow>('triggers.jsonl').filter((row): row is AnsweredTriggerRow => !('err' in row));
const misfires = goldenRows<MisfireRow | CodeRow>('misfire.jsonl').filter(
  (row): row is MisfireRow => row.op !== 'setMisfireInstruction',
);

const differing = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  answer: (row: Row, rules: 'quartz' | 'safe') => unknown,
) =>
  rows
    .filter((row) => JSON.stringify(answer(row, 'quartz')) !== JSON.stringify(answer(row, 'safe')))
    .map(({ id }) => id);

const listed = (corpus: string) =>
  differences.flatMap(({ ids }) => (ids as Readonly<Record<string, readonly string[]>>)[corpus] ?? []);

describe('the list of default differences', () => {
  it.each([
    { corpus: 'cron', found: () => differing(goldenRows<CronRow>('cron.jsonl'), answerOfCron) },
    { corpus: 'calendars', found: () => differing(goldenRows<CalendarRow>('calendars.jsonl'), answerOfCalendar) },
    { corpus: 'triggers', found: () => differing(triggers, answerOfTrigger) },
    { corpus: 'misfire', found: () => differing(misfires, answerOfMisfire) },
  ])('contains exactly the rows of $corpus.jsonl with a different answer by default', ({ corpus, found }) => {
    expect([...listed(corpus)].sort()).toEqual([...found()].sort());
  });

  it('contains only rule names of the guide, and all of them except start times in the past', () => {
    const names = RULE_DIFFERENCES.map(({ name }) => name);
    expect(differences.map(({ rule }) => rule).filter((rule) => !names.includes(rule))).toEqual([]);
    // The recorded triggers are stored at their start.
    expect(names.filter((name) => !differences.some(({ rule }) => rule === name))).toEqual(['start times in the past']);
  });
});
