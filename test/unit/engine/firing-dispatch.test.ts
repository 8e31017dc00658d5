import { ManualClock } from '../../../src/base/manual-clock';
import { triggerKey } from '../../../src/domain/keys';
import { anEngine, type Harness } from './harness';

const WINDOW = 50;

/** A started engine whose firings may share a transaction. Its job notes each trigger and time. */
async function started(options: Parameters<typeof anEngine>[0] = {}): Promise<Harness & { readonly ran: string[] }> {
  const ran: string[] = [];
  const harness: Harness = await anEngine({
    jobs: { job: ({ trigger }) => void ran.push(`${trigger.key.name} at ${harness.clock.now()}`) },
    batchTriggerAcquisitionFireAheadTimeWindow: WINDOW,
    ...options,
  });
  await harness.engine.start();
  await harness.settle();
  return { ...harness, ran };
}

const at = (name: string, startTime: number) => ({ key: triggerKey(name), startTime });
const stop = ({ engine }: Harness) => engine.shutdown({ waitForJobs: false, deadline: 0 });

describe('firings less than 50 ms apart', () => {
  it('fire in one transaction shortly before the first, and each starts at its own time', async () => {
    const harness = await started();
    await harness.schedule({}, at('a', 1_000), at('b', 1_020), at('c', 1_049), at('later', 1_051));
    await harness.advanceTo(989);
    expect(harness.store.calls).not.toContain('fireTriggers');
    await harness.advanceTo(990);
    expect(harness.store.calls.filter((call) => call === 'fireTriggers')).toHaveLength(1);
    expect(await harness.stateOf('c')).toBe('COMPLETE');
    expect([harness.ran, harness.workers.running]).toEqual([[], 3]);
    await harness.advanceTo(1_050);
    expect(harness.ran).toEqual(['a at 1000', 'b at 1020', 'c at 1049']);
    await harness.advanceTo(2_000);
    expect(harness.ran.slice(3)).toEqual(['later at 1051']);
    await stop(harness);
  });

  it('emit triggerFired when they start, with that time as fire time', async () => {
    const harness = await started();
    await harness.schedule({}, at('a', 1_000), at('b', 1_020));
    await harness.advanceTo(1_010);
    expect(harness.eventsOf('triggerFired').map(({ firing, ...event }) => [firing.fireTime, event.at])).toEqual([
      [1_000, 1_000],
    ]);
    await harness.advanceTo(1_020);
    expect(harness.eventsOf('triggerFired').map(({ firing, ...event }) => [firing.fireTime, event.at])).toEqual([
      [1_000, 1_000],
      [1_020, 1_020],
    ]);
    await stop(harness);
  });

  it('fire in the acquiring transaction when the first is due within 25 ms', async () => {
    const harness = await started();
    await harness.schedule({}, at('near', 25), at('next', 60));
    await harness.settle();
    expect([await harness.stateOf('near'), await harness.stateOf('next')]).toEqual(['COMPLETE', 'COMPLETE']);
    expect(harness.store.calls).not.toContain('fireTriggers');
    expect(harness.ran).toEqual([]);
    await harness.advanceTo(60);
    expect(harness.ran).toEqual(['near at 25', 'next at 60']);
    await stop(harness);
  });

  it('cause no store request until their window has almost passed', async () => {
    const harness = await started();
    const asked = () => harness.store.calls.filter((call) => call === 'acquireTriggers').length;
    await harness.schedule({}, at('a', 1_000), at('b', 1_049));
    await harness.advanceTo(990);
    const before = asked();
    await harness.advanceTo(1_039);
    expect(asked()).toBe(before);
    await harness.advanceTo(1_040);
    expect(asked()).toBe(before + 1);
    await harness.advanceTo(1_049);
    await stop(harness);
  });

  it('may belong to one trigger whose interval is shorter than the window', async () => {
    const harness = await started();
    await harness.schedule({}, { startTime: 1_000, repeatInterval: 20, repeatCount: 4 });
    await harness.advanceTo(1_080);
    expect(harness.ran).toEqual([1_000, 1_020, 1_040, 1_060, 1_080].map((time) => `trigger at ${time}`));
    await stop(harness);
  });

  it('each occupy a worker from the time they fired', async () => {
    const harness = await started({ threadCount: 2 });
    await harness.schedule({}, at('a', 1_000), at('b', 1_010), at('c', 1_020));
    await harness.advanceTo(990);
    expect([await harness.stateOf('b'), await harness.stateOf('c')]).toEqual(['COMPLETE', 'WAITING']);
    await harness.advanceTo(1_020);
    expect(harness.ran).toEqual(['a at 1000', 'b at 1010', 'c at 1020']);
    await stop(harness);
  });

  it('do not delay a trigger that is scheduled while they wait', async () => {
    const harness = await started();
    await harness.schedule({}, at('a', 1_000));
    await harness.advanceTo(1_005);
    await harness.schedule({}, at('now', 1_005));
    await harness.settle();
    expect(harness.ran).toEqual(['a at 1000', 'now at 1005']);
    await stop(harness);
  });

  it('do not start when their node may have lost them, while later firings do', async () => {
    const harness = await started();
    await harness.schedule({}, at('lost', 1_000), at('kept', 2_000));
    await harness.advanceTo(995);
    const before = harness.store.calls.length;
    harness.store.fail('releaseTriggers', 2);
    harness.engine.abortJobs();
    await harness.advanceTo(2_000);
    expect(harness.ran).toEqual(['kept at 2000']);
    expect(harness.workers.running).toBe(0);
    // The fence of the store forgets a firing when it is released. Until then it would count as running here.
    const released = harness.store.calls.slice(before).filter((call) => call === 'releaseTriggers');
    expect(released).toHaveLength(3);
    await stop(harness);
  });

  it.each([
    ['do not start when the lease is lost', true, []],
    ['start when the lease is held', false, ['a at 1101', 'b at 1101']],
  ])('check the lease after the process was suspended: they %s', async (_, isLost, ran) => {
    const looks: number[] = [];
    const harness: Awaited<ReturnType<typeof started>> = await started({
      checkLease: async () => {
        looks.push(harness.clock.now());
        if (isLost) harness.engine.abortJobs();
      },
    });
    await harness.schedule({}, at('a', 1_000), at('b', 1_000));
    await harness.advanceTo(995);
    harness.clock.advanceTo(1_101);
    await harness.settle();
    expect(looks).toContain(1_101);
    expect(harness.ran).toEqual(ran);
    await stop(harness);
  });

  it('start without a lease check when they are at most 100 ms late', async () => {
    const checkLease = jest.fn(async () => {});
    const harness = await started({ checkLease });
    await harness.schedule({}, at('a', 1_000));
    await harness.advanceTo(995);
    harness.clock.advanceTo(1_100);
    await harness.settle();
    expect(harness.ran).toEqual(['a at 1100']);
    expect(checkLease).not.toHaveBeenCalled();
    await stop(harness);
  });

  it('have all started when standby resolves', async () => {
    const harness = await started();
    await harness.schedule({}, at('a', 1_000), at('b', 1_049), at('later', 1_051));
    await harness.advanceTo(995);
    const standby = harness.engine.standby().then(() => harness.ran.push('standby'));
    await harness.advanceTo(3_000);
    await standby;
    expect(harness.ran).toEqual(['a at 1000', 'b at 1049', 'standby']);
    expect(await harness.stateOf('later')).toBe('WAITING');
    await stop(harness);
  });

  it('have started when whenStarted resolves', async () => {
    const harness = await started();
    await harness.schedule({}, at('a', 1_000), at('b', 1_040));
    await harness.advanceTo(995);
    const begun = harness.engine.whenStarted(5_000).then((isBegun) => harness.ran.push(`begun: ${isBegun}`));
    await harness.advanceTo(3_000);
    await begun;
    expect(harness.ran).toEqual(['a at 1000', 'b at 1040', 'begun: true']);
    await stop(harness);
  });

  it('are delayed by at most 5 ms when the clock is set back', async () => {
    const START = 100 * 3_600_000;
    const harness = await started({ clock: new ManualClock(START) });
    await harness.schedule({}, at('a', START + 1_000), at('b', START + 1_040));
    await harness.advanceTo(START + 1_010);
    expect(harness.ran).toEqual([`a at ${START + 1_000}`]);
    harness.clock.stepTo(START - 3_600_000);
    await harness.advanceTo(START - 3_600_000 + 34);
    expect(harness.ran).toHaveLength(1);
    await harness.advanceTo(START - 3_600_000 + 35);
    expect(harness.ran).toHaveLength(2);
    await stop(harness);
  });

  it.each([
    ['0 ms: each fires at its own time', 0, ['ACQUIRED', 'WAITING']],
    ['a day: at most those within one second', 86_400_000, ['COMPLETE', 'WAITING']],
  ])('share a transaction within a window of %s', async (_, window, states) => {
    const harness = await started({ batchTriggerAcquisitionFireAheadTimeWindow: window });
    await harness.schedule({}, at('first', 1_000), at('b', 1_900), at('c', 2_001));
    await harness.advanceTo(1_000);
    expect([await harness.stateOf('b'), await harness.stateOf('c')]).toEqual(states);
    await harness.advanceTo(3_000);
    expect(harness.ran).toEqual(['first at 1000', 'b at 1900', 'c at 2001']);
    await stop(harness);
  });
});
