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

describe('cron.jsonl, lenient', () => {
  it.each(['next', 'hang', 'satisfied', 'invalidAfter', 'invalid', 'throws'])('has rows of the kind %s', (kind) => {
    expect(rows.some((row) => row.kind === kind)).toBe(true);
  });

  it('finds every fire time that Quartz found', () => {
    const wrong = rows.flatMap((row) => {
      if (row.kind !== 'next') return [];
      const found = chainOfCron(row, row.next.length);
      return JSON.stringify(found) === JSON.stringify(row.next) ? [] : [{ ...row, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('answers at once where Quartz never returned, and agrees up to there', () => {
    for (const row of rows) {
      if (row.kind !== 'hang') continue;
      const answer = () => chainOfCron(row, row.before.length + 1);
      expect(fastestRun(answer, 50)).toBeLessThan(50);
      expect(answer().slice(0, row.before.length)).toEqual(row.before);
    }
  });

  it('says of every instant whether it is a fire time', () => {
    const wrong = rows.filter(
      (row) =>
        row.kind === 'satisfied' &&
        cronExpressionOf(row.expr, row.tz, { lenient: true, rules: 'quartz' }).isSatisfiedBy(row.at) !== row.is,
    );
    expect(wrong).toEqual([]);
  });

  it('finds the next second that is no fire time', () => {
    const wrong = rows.flatMap((row) => {
      if (row.kind !== 'invalidAfter') return [];
      const found = cronExpressionOf(row.expr, row.tz, { lenient: true, rules: 'quartz' }).nextInvalidTimeAfter(
        row.after,
      );
      return found === row.next ? [] : [{ ...row, found }];
    });
    expect(wrong).toEqual([]);
  });

  it('refuses what Quartz refuses, and what Quartz cannot evaluate', () => {
    const wrong = rows.filter(
      (row) =>
        (row.kind === 'invalid' || row.kind === 'throws') &&
        CronExpression.isValidExpression(row.expr, { lenient: true, rules: 'quartz' }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('cron.jsonl, where later versions of Quartz answer otherwise', () => {
  it('differs on every row that is listed: none is left out that would agree', () => {
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

describe('cron.jsonl, strict', () => {
  it('rejects exactly the reviewed expressions', () => {
    const rejected = new Map<string, string[]>();
    for (const { id, expr } of accepted) {
      if (!CronExpression.isValidExpression(expr)) rejected.set(expr, [...(rejected.get(expr) ?? []), id]);
    }
    expect([...rejected].map(([expr, ids]) => ({ expr, ids }))).toEqual(
      strictRejects.map(({ expr, ids }) => ({ expr, ids })),
    );
  });

  it('rejects what Quartz itself rejects, always with its own error', () => {
    for (const row of rows) {
      if (row.kind !== 'invalid' && row.kind !== 'throws') continue;
      expect(() => new CronExpression(row.expr)).toThrow(CronSyntaxError);
    }
  });
});
