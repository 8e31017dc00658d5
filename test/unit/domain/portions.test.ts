import { jobKey, triggerKey } from '../../../src/domain/keys';
import { portionsOf } from '../../../src/domain/portions';
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
