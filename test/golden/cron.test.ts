import { CronExpression, cronExpressionOf } from '../../src/domain/cron/cron-expression';
import { CronSyntaxError } from '../../src/domain/cron/cron-syntax-error';
import { fastestRun } from '../support/fastest-run';
import { type CronRow, chainOfCron, goldenRows } from '../support/golden-answers';
import chosenDifferences from './chosen-differences.json';
import strictRejects from './strict-rejects.json';

const allRows = goldenRows<CronRow>('cron.jsonl');
const chosen = new Set(chosenDifferences.flatMap(({ ids }) => ids));
const rows = allRows.filter(({ id }) => !chosen.has(id));

const accepted = rows.filter((row) => row.kind !== 'invalid' && row.kind !== 'throws');

describe('lenient cron expressions compared with recorded answers of Quartz', () => {
  it.each(['next', 'hang', 'satisfied', 'invalidAfter', 'invalid', 'throws'])('include rows of the kind %s', (kind) => {
    expect(rows.some((row) => row.kind === kind)).toBe(true);
  });

  it('have every fire time that Quartz found', () => {
    const wrong = rows.flatMap((row) => {
      if (row.kind !== 'next') return [];
      const found = chainOfCron(row, row.next.length);
      return JSON.stringify(found) === JSON.stringify(row.next) ? [] : [{ ...row, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('answer at once if Quartz never returned, and agree up to that time', () => {
    for (const row of rows) {
      if (row.kind !== 'hang') continue;
      const answer = () => chainOfCron(row, row.before.length + 1);
      expect(fastestRun(answer, 50)).toBeLessThan(50);
      expect(answer().slice(0, row.before.length)).toEqual(row.before);
    }
  });

  it('agree whether an instant is a fire time', () => {
    const wrong = rows.filter(
      (row) =>
        row.kind === 'satisfied' &&
        cronExpressionOf(row.expr, row.tz, { lenient: true, rules: 'quartz' }).isSatisfiedBy(row.at) !== row.is,
    );
    expect(wrong).toEqual([]);
  });

  it('have the same next second that is not a fire time', () => {
    const wrong = rows.flatMap((row) => {
      if (row.kind !== 'invalidAfter') return [];
      const found = cronExpressionOf(row.expr, row.tz, { lenient: true, rules: 'quartz' }).nextInvalidTimeAfter(
        row.after,
      );
      return found === row.next ? [] : [{ ...row, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('are refused if Quartz refuses them or cannot evaluate them', () => {
    const wrong = rows.filter(
      (row) =>
        (row.kind === 'invalid' || row.kind === 'throws') &&
        CronExpression.isValidExpression(row.expr, { lenient: true, rules: 'quartz' }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('cron answers that later versions of Quartz have changed', () => {
  it('differ in every row of the list, so the list has no superfluous rows', () => {
    const listed = allRows.filter(({ id }) => chosen.has(id));
    const agreeing = listed.filter((row) => {
      if (row.kind === 'invalid')
        return !CronExpression.isValidExpression(row.expr, { lenient: true, rules: 'quartz' });
      if (row.kind !== 'next') return true;
      const found = chainOfCron(row, row.next.length);
      return JSON.stringify(found) === JSON.stringify(row.next);
    });
    expect(agreeing).toEqual([]);
    expect(listed).toHaveLength(chosen.size);
  });
});

describe('strict cron expressions compared with recorded answers of Quartz', () => {
  it('are refused in exactly the reviewed cases', () => {
    const rejected = new Map<string, string[]>();
    for (const { id, expr } of accepted) {
      if (!CronExpression.isValidExpression(expr)) rejected.set(expr, [...(rejected.get(expr) ?? []), id]);
    }
    expect([...rejected].map(([expr, ids]) => ({ expr, ids }))).toEqual(
      strictRejects.map(({ expr, ids }) => ({ expr, ids })),
    );
  });

  it('are always refused with CronSyntaxError if Quartz refuses them', () => {
    for (const row of rows) {
      if (row.kind !== 'invalid' && row.kind !== 'throws') continue;
      expect(() => new CronExpression(row.expr)).toThrow(CronSyntaxError);
    }
  });
});
