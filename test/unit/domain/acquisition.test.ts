import {
  compareDue,
  type DueTriggers,
  dueOrder,
  isDue,
  takeBatch,
  timeAfterBatch,
} from '../../../src/domain/acquisition';
import type { FireResult, TriggerFiring } from '../../../src/domain/firing';
import { triggerKey } from '../../../src/domain/keys';
import type { Trigger } from '../../../src/domain/trigger';
import { NOW, once } from '../../conformance/samples';

const due = (nextFireTime: number | null, priority = 5, name = 'a', group = 'g') =>
  once(name, { key: triggerKey(name, group), nextFireTime, priority });

/** Source of triggers that are due at these times. */
function queueOf(
  ...times: readonly number[]
): DueTriggers<{ readonly trigger: Trigger }> & { readonly left: number[] } {
  const left = [...times];
  return {
    left,
    takeDueBy(time) {
      const [first] = left;
      if (first === undefined || first > time) return null;
      left.shift();
      return { trigger: due(first) };
    },
  };
}

const limits = { now: NOW, noLaterThan: NOW + 100, maxCount: 10, timeWindow: 0 };
const taken = (queue: DueTriggers<{ readonly trigger: Trigger }>, fields: Partial<typeof limits> = {}) =>
  takeBatch(queue, { ...limits, ...fields }).map(({ trigger }) => (trigger.nextFireTime as number) - NOW);

describe('compareDue', () => {
  it('orders by time, then by descending priority, then by group and name', () => {
    const inOrder = [
      due(1, 5),
      due(2, 9),
      due(2, 5, 'b', 'a'),
      due(2, 5, 'B', 'b'),
      due(2, 5, 'a', 'b'),
      due(2, 5, 'a ', 'b'),
      due(2, 5, '任', 'b'),
      due(2, -1),
      due(3, 9),
      due(null, 9),
    ];
    for (const [i, a] of inOrder.entries()) {
      for (const [j, b] of inOrder.entries()) expect(Math.sign(compareDue(a, b))).toBe(Math.sign(i - j));
    }
  });
});

describe('dueOrder', () => {
  const AGEING = 60_000;
  const sorted = (triggers: readonly Trigger[], ageing: number | null, now: number) =>
    triggers
      .map((trigger) => ({ trigger }))
      .sort(dueOrder(ageing, now))
      .map(({ trigger }) => trigger);
  const random = numbers(7);
  const some = Array.from({ length: 300 }, (_, index) =>
    due(NOW - 600_000 + Math.floor(random() * 700) * 1_000, Math.floor(random() * 20) - 5, `${index % 40}`),
  );

  it('equals the order of compareDue without ageing, at any current time', () => {
    const byTime = [...some].sort(compareDue);
    for (const now of [0, NOW]) expect(sorted(some, null, now)).toEqual(byTime);
  });

  it('sorts due triggers by effective priority, highest first, and later triggers by time', () => {
    const byAge = sorted(some, AGEING, NOW);
    // In whole numbers: quotients that are equal may differ in their last bit.
    const effective = ({ priority, nextFireTime }: Trigger) => priority * AGEING + (NOW - (nextFireTime as number));
    const isOverdue = ({ nextFireTime }: Trigger) => (nextFireTime as number) <= NOW;
    const oracle = [
      ...some.filter(isOverdue).sort((a, b) => effective(b) - effective(a) || compareDue(a, b)),
      ...some.filter((trigger) => !isOverdue(trigger)).sort(compareDue),
    ];
    const keys = (triggers: readonly Trigger[]) =>
      triggers.map(({ nextFireTime, priority }) => [nextFireTime, priority]);
    expect(keys(byAge)).toEqual(keys(oracle));
  });

  it('keeps the order of due triggers as time passes', () => {
    const overdue = some.filter(({ nextFireTime }) => (nextFireTime as number) <= NOW);
    expect(sorted(overdue, AGEING, NOW + 12_345_678)).toEqual(sorted(overdue, AGEING, NOW));
  });

  it('puts a trigger of lower priority first once it has waited long enough', () => {
    const low = due(NOW, 3);
    for (const [wait, sign] of [
      [AGEING * 2 - 1, 1],
      [AGEING * 2, -1], // equal effective priority: the earlier one first
      [AGEING * 2 + 1, -1],
    ] as const) {
      const high = due(NOW + wait, 5);
      expect(Math.sign(dueOrder(AGEING, NOW + wait)({ trigger: low }, { trigger: high }))).toBe(sign);
    }
  });
});

describe('takeBatch', () => {
  it('takes the triggers due by now plus the window when the first one is late', () => {
    const queue = queueOf(NOW - 50, NOW, NOW + 3, NOW + 4);
    expect(taken(queue, { timeWindow: 3 })).toEqual([-50, 0, 3]);
    expect(queue.left).toEqual([NOW + 4]);
  });

  it('starts the window at the first fire time when that is in the future', () => {
    expect(taken(queueOf(NOW + 10, NOW + 12, NOW + 13), { timeWindow: 2 })).toEqual([10, 12]);
  });

  it('takes no trigger after noLaterThan, and at most maxCount triggers', () => {
    expect(taken(queueOf(NOW + 101))).toEqual([]);
    expect(taken(queueOf(NOW, NOW, NOW), { maxCount: 2 })).toEqual([0, 0]);
    expect(taken(queueOf(NOW), { maxCount: 0 })).toEqual([]);
  });

  it('takes later triggers that are within the window of the first one, even after noLaterThan', () => {
    expect(taken(queueOf(NOW + 100, NOW + 105), { timeWindow: 5 })).toEqual([100, 105]);
  });
});

describe('isDue', () => {
  it('returns true from the fire time on, or from the given number of milliseconds before it', () => {
    const isDueWithin = (within: number) =>
      [due(NOW - 1), due(NOW), due(NOW + 10), due(NOW + 11), due(null)].map((trigger) => isDue(trigger, NOW, within));
    expect(isDueWithin(0)).toEqual([true, true, false, false, false]);
    expect(isDueWithin(10)).toEqual([true, true, true, false, false]);
  });
});

describe('timeAfterBatch', () => {
  const fired = (scheduledFireTime: number, nextFireTime: number | null): FireResult => ({
    status: 'fired',
    firing: { scheduledFireTime, trigger: due(nextFireTime) } as TriggerFiring,
  });
  const refused: FireResult = {
    status: 'notFired',
    acquired: { trigger: due(NOW), runId: '1' },
    reason: 'paused',
  };

  it('returns the end of the window that starts at the earliest firing', () => {
    expect(timeAfterBatch([fired(NOW + 20, null), fired(NOW, NOW + 500)], 50)).toBe(NOW + 50);
  });

  it('returns the next fire time of a fired trigger when it is within the window', () => {
    expect(timeAfterBatch([fired(NOW, NOW + 500), fired(NOW + 20, NOW + 30)], 50)).toBe(NOW + 30);
  });

  it('returns -Infinity when a trigger of the batch was not fired', () => {
    expect(timeAfterBatch([fired(NOW, null), refused], 50)).toBe(Number.NEGATIVE_INFINITY);
  });
});

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
