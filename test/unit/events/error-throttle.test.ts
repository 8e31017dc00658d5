import { Availability } from '../../../src/base/availability';
import { ManualClock } from '../../../src/base/manual-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { ErrorThrottle, SharedErrorThrottle } from '../../../src/events/error-throttle';

function anOutage() {
  const told: SchedulerEvent[] = [];
  const bus = { publish: (event: SchedulerEvent) => void told.push(event) };
  return { told, outage: new ErrorThrottle(new ManualClock(), bus) };
}

describe('a store outage', () => {
  it('is reported by its first failure only', () => {
    const { told, outage } = anOutage();
    outage.report('looking', new Error('one'));
    outage.report('releasing', new Error('two'));
    expect(told).toEqual([{ type: 'schedulerError', at: 0, during: 'looking', error: new Error('one') }]);
  });

  it('is reported again after a successful answer', () => {
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
    expect([outage.isFailing, outage.end(), outage.isFailing, outage.end()]).toEqual([true, true, false, false]);
  });
});

function aSharedOutage() {
  const clock = new ManualClock();
  const availability = new Availability(clock);
  const bus = { publish: () => undefined };
  return { clock, availability, bus, outage: new SharedErrorThrottle({ clock, availability, bus }, BACKOFF) };
}

/** Delays of half the doubled value, the smallest that `backoffDelay` returns. */
const BACKOFF = { firstDelay: 100, maxDelay: 1_000, random: { token: (length: number) => '0'.repeat(length) } };

describe('a store outage that affects several loops', () => {
  it('causes growing pauses, which start anew after an answer', async () => {
    const { clock, outage } = aSharedOutage();
    const pauseOf = async () => {
      outage.report('looking', new Error('down'));
      const pause = outage.pause(new AbortController().signal);
      const since = clock.now();
      clock.advanceTo(clock.nextWakeTime ?? since);
      await pause;
      return clock.now() - since;
    };
    expect([await pauseOf(), await pauseOf(), await pauseOf()]).toEqual([50, 100, 200]);
    outage.end();
    expect(await pauseOf()).toBe(50);
  });

  it('ends for all loops when one of them gets an answer', async () => {
    const { clock, availability, bus, outage } = aSharedOutage();
    const other = new SharedErrorThrottle({ clock, bus, availability }, BACKOFF);
    const { signal } = new AbortController();
    for (const each of [outage, outage, outage, other]) each.report('looking', new Error('down'));
    const pause = outage.pause(signal);
    expect(clock.wakeTimes).toEqual([200]);
    other.end();
    await pause;
    expect(clock.now()).toBe(0);
    outage.report('looking', new Error('still down'));
    void outage.pause(signal);
    expect(clock.wakeTimes).toEqual([50]); // the pauses start anew after a premature answer
  });

  it('ends with a single announcement', () => {
    let announced = 0;
    const clock = new ManualClock();
    const outage = new SharedErrorThrottle(
      { clock, bus: { publish: () => undefined }, availability: new Availability(clock, () => announced++) },
      BACKOFF,
    );
    outage.end();
    outage.report('looking', new Error('down'));
    outage.end();
    outage.end();
    expect(announced).toBe(1);
  });

  it('does not delay a loop that stops', async () => {
    const { outage } = aSharedOutage();
    outage.report('looking', new Error('down'));
    await expect(outage.pause(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
