import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import { MAX_PORTION, portionsOf } from '../../../src/domain/portions';
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
  ['src/api/scheduler.ts', /Up to ([\d,]+) of both are stored all or nothing/],
  ['src/api/schedule-options.ts', /more than ([\d,]+) changes are applied in portions/],
  ['docs/reference/schedule-file.md', /more than ([\d,]+) changes are applied in portions/],
  ['docs/reference/command-line.md', /More than ([\d,]+) changes are applied in portions/],
];

it.each(TEXTS)('%s names the size of a portion', (file, pattern) => {
  const [, size] = pattern.exec(readFileSync(join(__dirname, '../../..', file), 'utf8')) ?? [];
  expect(size).toBe(MAX_PORTION.toLocaleString('en'));
});

describe('portions of a change set', () => {
  it('are one, up to the size', () => {
    expect(portionsOf([storeJob('a'), storeTrigger('a')], 2)).toEqual([[0, 1]]);
    expect(portionsOf([], 2)).toEqual([[]]);
  });

  it('keep a job with its triggers, wherever these stand', () => {
    const set = [storeJob('a'), storeJob('b'), storeTrigger('a'), storeTrigger('b'), storeTrigger('a', 'a2')];
    expect(portionsOf(set, 3)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  it('do not move what is stored before or behind what is deleted', () => {
    const set = [deleteTrigger('a'), storeJob('a'), storeTrigger('a'), deleteTrigger('b'), storeTrigger('a', 'a2')];
    expect(portionsOf(set, 2)).toEqual([[0], [1, 2], [3, 4]]);
  });

  it('are one where a part of the set is about the whole of it', () => {
    expect(portionsOf([{ type: 'clear' }, storeJob('a'), storeTrigger('a')], 2)).toEqual([[0, 1, 2]]);
  });
});
