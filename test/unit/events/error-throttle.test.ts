import { Availability } from '../../../src/base/availability';
import { ManualClock } from '../../../src/base/manual-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { ErrorThrottle, SharedErrorThrottle } from '../../../src/events/error-throttle';

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
    expect([outage.isFailing, outage.end(), outage.isFailing, outage.end()]).toEqual([true, true, false, false]);
  });
});

function aSharedOutage() {
  const clock = new ManualClock();
  const availability = new Availability(clock);
  const bus = { publish: () => undefined };
  return { clock, availability, bus, outage: new SharedErrorThrottle({ clock, availability, bus }, BACKOFF) };
}

/** Half of the doubled delay: the least that `backoffDelay` gives. */
const BACKOFF = { firstDelay: 100, maxDelay: 1_000, random: { token: (length: number) => '0'.repeat(length) } };

describe('an outage of what several loops need', () => {
  it('is waited out with pauses that grow with its failures, and from the beginning after an answer', async () => {
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

  it('is over for everybody at once when one of those who need the store gets an answer', async () => {
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
    expect(clock.wakeTimes).toEqual([50]); // the news were too good: short pauses again
  });

  it('is announced once: an answer that follows an answer is no news', () => {
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

  it('does not keep anybody who stops', async () => {
    const { outage } = aSharedOutage();
    outage.report('looking', new Error('down'));
    await expect(outage.pause(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
