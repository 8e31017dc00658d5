import { Gate } from '../../../src/base/gate';
import { Draining } from '../../../src/scheduler/draining';
import type { EventInput } from '../../../src/scheduler/schedule-events';
import { codeOf, heard, noop, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

function scene(isBegun = true) {
  const gate = new Gate();
  gate.open();
  const events: EventInput[] = [];
  const told: boolean[] = [];
  const woken: (number | null)[] = [];
  const draining = new Draining({
    engine: { scheduleChanged: (earliest) => woken.push(earliest), whenStarted: async () => isBegun },
    gate,
    store: { publishDraining: async (isDraining) => told.push(isDraining) > 0 },
    instanceId: 'a',
    announce: (event) => events.push(event),
  });
  return { gate, draining, events, told, woken };
}

describe('draining', () => {
  it('closes the gate, wakes the trigger loop, and publishes the drain state to the other nodes', async () => {
    const { gate, draining, events, told, woken } = scene();
    expect(await draining.begin()).toBe(true);
    expect([gate.isOpen, draining.isDraining]).toEqual([false, true]);
    await draining.end();
    expect([gate.isOpen, draining.isDraining]).toEqual([true, false]);
    expect(events).toEqual([
      { type: 'nodeDraining', instanceId: 'a' },
      { type: 'nodeUndrained', instanceId: 'a' },
    ]);
    expect(told).toEqual([true, false]);
    expect(woken).toEqual([null, null]);
  });

  it('is announced once if it is started twice', async () => {
    const { draining, events, told } = scene();
    await draining.begin();
    expect(await draining.begin()).toBe(true);
    expect(events).toHaveLength(1);
    expect(told).toEqual([true, true]); // the first call may have failed to store it
  });

  it('resolves with false while an earlier firing has not begun', async () => {
    const { gate, draining, told } = scene(false);
    expect(await draining.begin()).toBe(false);
    expect([gate.isOpen, draining.isDraining, told]).toEqual([false, true, [true]]);
  });

  it('resolves with false if it is ended before it is complete', async () => {
    const { draining } = scene();
    const begun = draining.begin();
    await draining.end();
    expect(await begun).toBe(false);
  });

  it('continues when the lease opens the gate again', async () => {
    const { gate, draining } = scene();
    await draining.begin();
    gate.close();
    gate.open();
    expect(gate.isOpen).toBe(false);
    let hasPassed = false;
    const passing = gate.whenOpen(new AbortController().signal).then(() => {
      hasPassed = true;
    });
    await Promise.resolve();
    expect(hasPassed).toBe(false);
    await draining.end();
    await passing;
  });

  it('does not open a gate that the lease has closed', async () => {
    const { gate, draining } = scene();
    await draining.begin();
    gate.close();
    await draining.end();
    expect(gate.isOpen).toBe(false);
  });
});

describe('a scheduler without a cluster', () => {
  it('can be drained and undrained, and lists its drain state', async () => {
    const { scheduler } = await testScheduler();
    const events = heard(scheduler);
    await scheduler.start();
    expect(await scheduler.drain()).toBe(true);
    expect(await scheduler.listNodes()).toMatchObject([{ isDraining: true, labels: ['node:NON_CLUSTERED'] }]);
    expect(await scheduler.undrain('NON_CLUSTERED')).toBe(true);
    expect(await scheduler.listNodes()).toMatchObject([{ isDraining: false }]);
    expect(events.filter((event) => event.startsWith('node'))).toEqual(['nodeDraining', 'nodeUndrained']);
  });

  it('returns false for an unknown node and refuses an empty node id', async () => {
    const { scheduler } = await testScheduler({ jobs: { noop } });
    expect(await scheduler.drain('other')).toBe(false);
    expect(await codeOf(() => scheduler.drain(''))).toBe('INVALID_ARGUMENT');
  });
});
