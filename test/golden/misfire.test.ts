import { misfireCodeOf, misfireInstructionOf } from '../../src/domain/misfire-instructions';
import { answerOfMisfire, type CodeRow, goldenRows, type MisfireRow } from '../support/golden-answers';
import { type GoldenTrigger, KINDS } from '../support/golden-trigger';

const rows = goldenRows<CodeRow | MisfireRow>('misfire.jsonl');
const kinds = Object.keys(KINDS) as GoldenTrigger['type'][];

function expectSameAnswers(mine: readonly MisfireRow[]): void {
  const differences = mine.flatMap((row) => {
    const { before, after, mayFireAgain, then, finally: end } = row;
    const expected = { before, after, mayFireAgain, then, finally: end };
    const actual = answerOfMisfire(row);
    return JSON.stringify(actual) === JSON.stringify(expected) ? [] : [{ row, actual }];
  });
  expect(differences.slice(0, 3)).toEqual([]);
}

describe('misfire answers recorded from Quartz 2.3.2', () => {
  it.each(kinds)('are the same for updateAfterMisfire of the kind %s', (kind) => {
    const mine = rows.filter((row) => row.op === 'updateAfterMisfire' && row.kind === kind) as MisfireRow[];
    expect(mine.length).toBeGreaterThan(50);
    expectSameAnswers(mine);
  });

  it.each(kinds)('are the same for updateWithNewCalendar of the kind %s', (kind) => {
    const mine = rows.filter((row) => row.op === 'updateWithNewCalendar' && row.kind === kind) as MisfireRow[];
    expect(mine.length).toBeGreaterThan(50);
    expectSameAnswers(mine);
  });

  it('have the same instruction codes, which convert to names and back', () => {
    const mine = rows.filter((row): row is CodeRow => row.op === 'setMisfireInstruction');
    expect(mine).toHaveLength(32);
    for (const { kind, instruction: code, ok } of mine) {
      const name = misfireInstructionOf(KINDS[kind], code);
      expect([kind, code, name !== null]).toEqual([kind, code, ok]);
      if (name !== null) expect(misfireCodeOf(KINDS[kind], name)).toBe(code);
    }
  });
});
