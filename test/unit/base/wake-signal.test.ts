import { ManualClock } from '../../../src/base/manual-clock';
import { WakeSignal } from '../../../src/base/wake-signal';

const never = new AbortController().signal;

function setUp() {
  const clock = new ManualClock(1_000);
  return { clock, wake: new WakeSignal(clock) };
}

describe('WakeSignal', () => {
  it('sleeps until the given time', async () => {
    const { clock, wake } = setUp();
    const wait = wake.waitUntil(2_000, never);
    expect(clock.nextWakeTime).toBe(2_000);
    clock.advanceTo(2_000);
    await wait;
  });

  it('is woken by a notification for an earlier time', async () => {
    const { clock, wake } = setUp();
    const wait = wake.waitUntil(2_000, never);
    wake.notify(1_500);
    await wait;
    expect(clock.now()).toBe(1_000);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('is woken by a change whose time is unknown', async () => {
    const { clock, wake } = setUp();
    const wait = wake.waitUntil(2_000, never);
    wake.notify(null);
    await wait;
    expect(clock.nextWakeTime).toBeNull();
    expect(wake.earliestChange()).toBe(Number.NEGATIVE_INFINITY);
  });

  it('continues to sleep after a notification for the same or a later time', () => {
    const { clock, wake } = setUp();
    void wake.waitUntil(2_000, never);
    wake.notify(2_000);
    wake.notify(3_000);
    expect(clock.nextWakeTime).toBe(2_000);
  });

  it('does not miss a notification from before it began to sleep', async () => {
    const { clock, wake } = setUp();
    wake.notify(1_500);
    await wake.waitUntil(2_000, never);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('keeps the earliest of several changes until it is cleared', async () => {
    const { clock, wake } = setUp();
    wake.notify(1_700);
    wake.notify(1_500);
    wake.notify(1_600);
    expect(wake.earliestChange()).toBe(1_500);
    wake.clear();
    expect(wake.earliestChange()).toBeNull();
    void wake.waitUntil(2_000, never);
    expect(clock.nextWakeTime).toBe(2_000);
  });

  it('ends when aborted, and does not begin if already aborted', async () => {
    const { clock, wake } = setUp();
    const controller = new AbortController();
    const wait = wake.waitUntil(2_000, controller.signal);
    controller.abort();
    await wait;
    await wake.waitUntil(2_000, controller.signal);
    expect(clock.nextWakeTime).toBeNull();
  });

  it('wakes all its sleepers', async () => {
    const { clock, wake } = setUp();
    const waits = Promise.all([wake.waitUntil(2_000, never), wake.waitUntil(3_000, never)]);
    wake.notify(1_500);
    await waits;
    expect(clock.nextWakeTime).toBeNull();
  });
});
