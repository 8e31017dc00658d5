import { DemoBoard } from '../../../../src/cli/demo/demo-board';
import type { FromNode } from '../../../../src/cli/demo/demo-messages';
import { judgeDemo, keptPromises } from '../../../../src/cli/demo/demo-verdict';
import { describeVerdict } from '../../../../src/cli/demo/demo-view';
import { planDemo } from '../../../../src/cli/demo/demo-workload';

const FIRST = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const plan = {
  firstFireTime: FIRST,
  lastFireTime: FIRST + 3 * SECOND,
  fireTimes: new Map([['import-1', [0, 1, 2].map((second) => FIRST + second * SECOND)]]),
};
const kill = { node: 'b', at: FIRST + 1_500, interrupted: [`import-1@${FIRST + SECOND}`] };

type Started = FromNode & { readonly type: 'started' };

const started = (second: number, fields: Partial<Started> = {}): Started => ({
  type: 'started',
  at: FIRST + second * SECOND + 4,
  fireInstanceId: `f${second}`,
  trigger: 'import-1',
  job: 'import',
  scheduledFireTime: FIRST + second * SECOND,
  recovers: null,
  ...fields,
});
const again = started(1, {
  at: kill.at + 2_800,
  fireInstanceId: 'r',
  trigger: 'recover_f1',
  recovers: { trigger: 'import-1', scheduledFireTime: FIRST + SECOND },
});

function verdictOf(...messages: readonly (readonly [string, FromNode])[]) {
  const board = new DemoBoard();
  for (const [index, name] of ['a', 'b'].entries()) {
    board.add(name);
    board.ready(name, index + 1);
  }
  for (const [name, message] of messages) board.hear(name, message);
  board.killed('b');
  return judgeDemo(plan, board, kill);
}

const GOOD = [
  ['a', started(0)],
  ['b', started(1)],
  ['a', started(2)],
  ['a', again],
] as const;

it('counts what fired once, what was run again, and how long that took', () => {
  const verdict = verdictOf(...GOOD);
  expect(verdict).toMatchObject({
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
  expect(keptPromises(verdict)).toBe(true);
  expect(describeVerdict(verdict).join('\n')).toMatch(
    /3 fired once, 0 twice, 0 lost with b\.[\s\S]*2\.8 s after the kill/,
  );
});

it('forgives what the killed node had just taken', () => {
  const verdict = verdictOf(['a', started(0)], ['a', started(2)], ['a', again]);
  expect(verdict).toMatchObject({ firedOnce: 2, lostWithNode: 1, missing: 0 });
  expect(keptPromises(verdict)).toBe(true);
});

it.each([
  [40, { lostWithNode: 1, missing: 0 }],
  [400, { lostWithNode: 0, missing: 1 }],
])('forgives what the killed node held for an instant %d ms later, and no more', (ahead, found) => {
  const due = { ...plan, fireTimes: new Map([['import-1', [kill.at + ahead]]]) };
  expect(judgeDemo(due, new DemoBoard(), kill)).toMatchObject(found);
});

it.each([
  ['a firing that began twice', [...GOOD, ['a', started(2)]], { firedTwice: 1 }],
  ['a firing that was never due', [...GOOD, ['a', started(2.5)]], { unexpected: 1 }],
  ['a firing of a living node that never began', GOOD.slice(0, 2), { missing: 1 }],
  ['an interrupted firing that was not run again', GOOD.slice(0, 3), { recovered: 0 }],
] as const)('breaks its promise by %s', (_, messages, found) => {
  const verdict = verdictOf(...messages);
  expect(verdict).toMatchObject(found);
  expect(keptPromises(verdict)).toBe(false);
});

it('plans every trigger at its interval, within the time there is', () => {
  const { fireTimes } = planDemo(FIRST, 12 * SECOND);
  expect(fireTimes.size).toBe(22);
  const [tick = []] = [fireTimes.get('tick-1')];
  expect(tick.map((time) => time - FIRST)).toEqual(Array.from({ length: 12 }, (_, index) => index * SECOND));
  for (const times of fireTimes.values()) {
    expect(times[0]).toBeGreaterThanOrEqual(FIRST);
    expect(times.at(-1)).toBeLessThan(FIRST + 12 * SECOND);
  }
});

it('shows what runs where', () => {
  const board = new DemoBoard();
  board.add('a');
  expect(board.figures()[0]).toMatchObject({ state: 'starting', processId: null });
  board.ready('a', 7);
  board.hear('a', started(0));
  expect(board.figures()[0]).toMatchObject({ state: 'alive', processId: 7, firings: 1, running: [{ job: 'import' }] });
  board.hear('a', { type: 'ended', at: FIRST, fireInstanceId: 'f0' });
  board.hear('a', { ...again, fireInstanceId: 'r' });
  expect(board.figures()[0]).toMatchObject({ firings: 1, recoveries: 1, running: [{ job: 'import' }] });
  board.killed('a');
  board.hear('a', { type: 'peerRecovered', at: FIRST, instanceId: 'a' });
  expect(board.figures()[0]).toMatchObject({ state: 'recovered' });
});
