import { DemoBoard } from '../../../demo/board';
import type { FromNode, Started } from '../../../demo/node-process';
import * as demo from '../../../demo/run-demo';
import { planDemo } from '../../../demo/schedule';
import { describeSummary, hasSucceeded, summarize } from '../../../demo/summary';
import type { DemoProgram } from '../../../src/cli/commands/demo';

const FIRST = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const plan = {
  firstFireTime: FIRST,
  lastFireTime: FIRST + 3 * SECOND,
  fireTimes: new Map([['import-1', [0, 1, 2].map((second) => FIRST + second * SECOND)]]),
};
const kill = { node: 'b', at: FIRST + 1_500, interrupted: [`import-1@${FIRST + SECOND}`] };

const started = (second: number, fields: Partial<Started> = {}): Started => ({
  type: 'started',
  at: FIRST + second * SECOND + 4,
  runId: `f${second}`,
  trigger: 'import-1',
  job: 'import',
  scheduledFireTime: FIRST + second * SECOND,
  isRetry: false,
  recovers: null,
  ...fields,
});
const again = started(1, {
  at: kill.at + 2_800,
  runId: 'r',
  trigger: 'recover_f1',
  recovers: { trigger: 'import-1', scheduledFireTime: FIRST + SECOND },
});

function summaryOf(...messages: readonly (readonly [string, FromNode])[]) {
  const board = new DemoBoard();
  for (const [index, name] of ['a', 'b'].entries()) {
    board.add(name);
    board.ready(name, index + 1);
  }
  for (const [name, message] of messages) board.record(name, message);
  board.killed('b');
  return summarize(plan, board, kill);
}

const GOOD = [
  ['a', started(0)],
  ['b', started(1)],
  ['a', started(2)],
  ['a', again],
] as const;

it('the demo summary counts single firings and recovered runs, with the time of the recovery', () => {
  const summary = summaryOf(...GOOD);
  expect(summary).toMatchObject({
    expected: 3,
    firedOnce: 3,
    firedTwice: 0,
    lostWithNode: 0,
    missing: 0,
    unexpected: 0,
    interrupted: 1,
    recovered: 1,
    recoveredAfter: 2_800,
    latenessP50: 4,
  });
  expect(hasSucceeded(summary)).toBe(true);
  expect(describeSummary(summary).join('\n')).toMatch(
    /3 fired once, 0 twice, 0 lost with b\.[\s\S]*2\.8 s after the kill/,
  );
});

it('the demo summary counts firings as lost if they are recorded as lost and never started', () => {
  const due = { ...plan, fireTimes: new Map([['import-1', [FIRST, kill.at - 20 * SECOND, kill.at + 400]]]) };
  const board = new DemoBoard();
  board.add('b');
  board.record('b', started(0));
  const lost = new Set([`import-1@${FIRST}`, `import-1@${kill.at - 20 * SECOND}`]);
  expect(summarize(due, board, kill, lost)).toMatchObject({ firedOnce: 1, lostWithNode: 1, missing: 1 });
});

it.each([
  ['a firing that started twice', [...GOOD, ['a', started(2)]], { firedTwice: 1 }],
  ['a firing that was never due', [...GOOD, ['a', started(2.5)]], { unexpected: 1 }],
  ['a firing of a living node that never started', GOOD.slice(0, 2), { missing: 1 }],
  ['an interrupted firing without a recovery', GOOD.slice(0, 3), { recovered: 0 }],
] as const)('the demo fails because of %s', (_, messages, found) => {
  const summary = summaryOf(...messages);
  expect(summary).toMatchObject(found);
  expect(hasSucceeded(summary)).toBe(false);
});

it('the demo plan has all triggers at their intervals, within the given time', () => {
  const { fireTimes } = planDemo(FIRST, 12 * SECOND);
  expect(fireTimes.size).toBe(23);
  const [tick = []] = [fireTimes.get('tick-1')];
  expect(tick.map((time) => time - FIRST)).toEqual(Array.from({ length: 12 }, (_, index) => index * SECOND));
  for (const times of fireTimes.values()) {
    expect(times[0]).toBeGreaterThanOrEqual(FIRST);
    expect(times.at(-1)).toBeLessThan(FIRST + 12 * SECOND);
  }
});

it('the demo board shows state, running jobs and counts of each node', () => {
  const board = new DemoBoard();
  board.add('a');
  const running = () => [...board.node('a').running.values()].map(({ job }) => job);
  expect(board.node('a')).toMatchObject({ state: 'starting', processId: null });
  board.ready('a', 7);
  board.record('a', started(0));
  expect(board.node('a')).toMatchObject({ state: 'alive', processId: 7, firings: 1 });
  expect(running()).toEqual(['import']);
  board.record('a', { type: 'ended', runId: 'f0' });
  expect(running()).toEqual([]);
  board.record('a', again);
  expect(board.node('a')).toMatchObject({ firings: 1, recoveries: 1 });
  expect(running()).toEqual(['import']);
  board.killed('a');
  board.record('a', { type: 'peerRecovered', at: FIRST, instanceId: 'a' });
  expect(board.node('a')).toMatchObject({ state: 'recovered' });
});

it('the command line can load the demo', () => {
  const program: DemoProgram = demo;
  expect(program.runDemo).toBeInstanceOf(Function);
});
