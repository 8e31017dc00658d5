import type { Started } from '../../../demo/jobs';
import * as demo from '../../../demo/run-demo';
import { planDemo } from '../../../demo/schedule';
import { describeSummary, hasSucceeded, summarize } from '../../../demo/summary';
import type { DemoProgram } from '../../../src/cli/commands/demo';

const FIRST = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const planOf = (...fireTimes: readonly number[]) => ({
  firstFireTime: FIRST,
  lastFireTime: FIRST + 3 * SECOND,
  triggers: [{ name: 'import-1', type: 'import', intervalMs: SECOND, fireTimes: [...fireTimes] }],
});

const started = (second: number, fields: Partial<Started> = {}): Started => ({
  type: 'started',
  at: FIRST + second * SECOND + 4,
  runId: `r${second}`,
  occurrenceId: `o${second}`,
  job: 'import',
  trigger: 'import-1',
  scheduledFireTime: FIRST + second * SECOND,
  isRecovery: false,
  ...fields,
});
const KILL = { killedNode: 'b', killedAt: FIRST + 1_500, interrupted: [started(1)] };
const RECOVERY = started(1, { at: KILL.killedAt + 2_800, runId: 'r', isRecovery: true });
const GOOD = [started(0), started(1), started(2), RECOVERY];

const summaryOf = (starts: readonly Started[], plan = planOf(FIRST, FIRST + SECOND, FIRST + 2 * SECOND)) =>
  summarize(plan, { nodes: 2, kill: KILL, starts, lost: [] });

it('counts firings, recovered runs, and the time until their recovery', () => {
  const summary = summaryOf(GOOD);
  expect(summary).toMatchObject({
    ...{ expected: 3, firedOnce: 3, firedTwice: 0, lostWithNode: 0, missing: 0, unexpected: 0 },
    ...{ interrupted: 1, recovered: 1, recoveredAfter: 2_800, latenessP50: 4 },
  });
  expect(hasSucceeded(summary)).toBe(true);
  expect(describeSummary(summary).join('\n')).toMatch(
    /3 fired once, 0 twice, 0 lost with b\.[\s\S]*2800 ms after the kill/,
  );
});

it('counts only firings recorded as lost that never started', () => {
  const plan = planOf(FIRST, KILL.killedAt - 20 * SECOND, KILL.killedAt + 400);
  const lost = [`import-1@${FIRST}`, `import-1@${KILL.killedAt - 20 * SECOND}`];
  const summary = summarize(plan, { nodes: 2, kill: KILL, starts: [started(0)], lost });
  expect(summary).toMatchObject({ firedOnce: 1, lostWithNode: 1, missing: 1 });
});

it.each([
  ['a firing that started twice', [...GOOD, started(2)], { firedTwice: 1 }],
  ['a firing that was never due', [...GOOD, started(2.5)], { unexpected: 1, firedOnce: 3 }],
  ['a firing that never started', GOOD.slice(0, 2), { missing: 1 }],
  ['an interrupted run that was not recovered', GOOD.slice(0, 3), { recovered: 0 }],
])('fails after %s', (_, starts, found) => {
  const summary = summaryOf(starts);
  expect(summary).toMatchObject(found);
  expect(hasSucceeded(summary)).toBe(false);
});

it('plans a firing of every trigger per interval', () => {
  const { triggers } = planDemo(FIRST, 12 * SECOND);
  expect(triggers).toHaveLength(22);
  expect(triggers[0]?.fireTimes).toEqual(Array.from({ length: 12 }, (_, index) => FIRST + index * SECOND));
  for (const { fireTimes } of triggers) {
    expect(fireTimes[0]).toBeGreaterThanOrEqual(FIRST);
    expect(fireTimes.at(-1)).toBeLessThan(FIRST + 12 * SECOND);
  }
});

it('is the module that the command loads', () => {
  const program: DemoProgram = demo;
  expect(program.runDemo).toBeInstanceOf(Function);
});

it('succeeds in memory without a killed node, unless a firing is missing', () => {
  const plan = planOf(FIRST, FIRST + SECOND);
  const summaryIn = (...starts: readonly Started[]) => summarize(plan, { nodes: 1, kill: null, starts, lost: [] });
  expect(hasSucceeded(summaryIn(started(0)))).toBe(false);
  const summary = summaryIn(started(0), started(1));
  expect(hasSucceeded(summary)).toBe(true);
  expect(summary).toMatchObject({ killedNode: null, interrupted: 0, recovered: 0, recoveredAfter: null });
  expect(describeSummary(summary)).toEqual([
    '2 fire times were due in memory: 2 fired once, 0 twice.',
    expect.stringMatching(/^Lateness: /),
  ]);
});
