import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { isDivisible, MAX_ATOMIC, Portions } from '../../../src/domain/portions';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import { aJobDetail, aTrigger } from '../engine/samples';

const storeJob = (name: string): ScheduleChange => ({
  type: 'storeJob',
  job: aJobDetail({ key: jobKey(name) }),
  ifExists: 'replace',
  requireTrigger: true,
});
const storeTrigger = (job: string, name = job): ScheduleChange => ({
  type: 'storeTrigger',
  trigger: aTrigger({ key: triggerKey(name), jobKey: jobKey(job) }),
  ifExists: 'replace',
  startTimeDefaulted: false,
});
const deleteTrigger = (name: string): ScheduleChange => ({ type: 'deleteTrigger', key: triggerKey(name) });

const TEXTS: readonly (readonly [string, RegExp])[] = [
  ['src/api/scheduler.ts', /Up to ([\d,]+) jobs and triggers are stored all or nothing/],
  ['src/api/schedule-options.ts', /more than ([\d,]+) changes are applied in portions/],
  ['docs/reference/schedule-file.md', /more than ([\d,]+) changes are applied in portions/],
  ['docs/reference/command-line.md', /More than ([\d,]+) changes are applied in portions/],
];

it.each(TEXTS)('%s gives the maximum size of an atomic change set', (file, pattern) => {
  const [, size] = pattern.exec(readFileSync(join(__dirname, '../../..', file), 'utf8')) ?? [];
  expect(size).toBe(MAX_ATOMIC.toLocaleString('en'));
});

function portionsOf(changes: readonly ScheduleChange[], size: number): readonly (readonly number[])[] {
  const portions = new Portions(changes);
  const all: (readonly number[])[] = [];
  for (let next = portions.next(size); next.length > 0; next = portions.next(size)) all.push(next);
  return all;
}

const many = Array.from({ length: MAX_ATOMIC + 1 }, (_, index) => deleteTrigger(String(index)));

describe('a change set', () => {
  it('is divided when it has more changes than the maximum', () => {
    expect(isDivisible(many)).toBe(true);
    expect(isDivisible(many.slice(1))).toBe(false);
  });

  it('is not divided if it contains a change that affects the whole schedule', () => {
    expect(isDivisible([...many, { type: 'clear' }])).toBe(false);
  });
});

describe('portions of a change set', () => {
  it('contain the requested number of changes', () => {
    const portions = new Portions(many);
    expect(portions.next(2)).toEqual([0, 1]);
    expect(portions.next(1)).toEqual([2]);
    expect(portions.next(many.length)).toHaveLength(many.length - 3);
    expect(portions.next(1)).toEqual([]);
  });

  it('contain a job together with its triggers, wherever these are in the set', () => {
    const set = [storeJob('a'), storeJob('b'), storeTrigger('a'), storeTrigger('b'), storeTrigger('a', 'a2')];
    expect(portionsOf(set, 3)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  it('contain a job with many triggers together with the first of these triggers', () => {
    const set = [storeJob('a'), ...many.map((_, index) => storeTrigger('a', `a${index}`))];
    expect(portionsOf(set, 1).map(({ length }) => length)).toEqual([MAX_ATOMIC, 2]);
  });

  it('keep the order between stored and deleted definitions', () => {
    const set = [deleteTrigger('a'), storeJob('a'), storeTrigger('a'), deleteTrigger('b'), storeTrigger('a', 'a2')];
    expect(portionsOf(set, 2)).toEqual([[0], [1, 2], [3, 4]]);
  });
});
