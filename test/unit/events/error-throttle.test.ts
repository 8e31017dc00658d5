import { ManualClock } from '../../../src/base/manual-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { ErrorThrottle } from '../../../src/events/error-throttle';

function anOutage() {
  const told: SchedulerEvent[] = [];
  const bus = { publish: (event: SchedulerEvent) => void told.push(event) };
  return { told, outage: new ErrorThrottle(new ManualClock(), bus) };
}

describe('an outage', () => {
  it('is told by its first failure alone', () => {
    const { told, outage } = anOutage();
    outage.report('looking', new Error('one'));
    outage.report('releasing', new Error('two'));
    expect(told).toEqual([{ type: 'schedulerError', at: 0, during: 'looking', error: new Error('one') }]);
  });

  it('is another one after an answer', () => {
    const { told, outage } = anOutage();
    outage.report('looking', new Error('one'));
    outage.end();
    outage.report('looking', 'not an error');
    expect(told.map((event) => 'error' in event && event.error?.message)).toEqual(['one', 'not an error']);
  });

  it('ends once', () => {
    const { outage } = anOutage();
    expect(outage.end()).toBe(false);
    outage.report('looking', new Error('one'));
    expect([outage.isOn, outage.end(), outage.isOn, outage.end()]).toEqual([true, true, false, false]);
  });
});
