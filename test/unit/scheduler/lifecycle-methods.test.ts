import { Gate } from '../../../src/base/gate';
import { EventBus } from '../../../src/events/event-bus';
import { lifecycleMethods } from '../../../src/scheduler/lifecycle-methods';
import type { SchedulerParts } from '../../../src/scheduler/scheduler-parts';

/** The methods of a started scheduler, with a cluster or without. */
function started(cluster: object | null) {
  const bus = new EventBus();
  const gate = new Gate();
  const lifecycle = { state: 'started', runningSince: 0, isInStandbyMode: false };
  const store = { description: { name: 'memory', persistent: false, clustered: cluster !== null } };
  const config = { context: {} };
  const parts = { bus, gate, lifecycle, store, config, node: { store, cluster }, workers: {}, engine: {} };
  return { bus, gate, methods: lifecycleMethods(parts as unknown as SchedulerParts) };
}

describe('the metadata of a node', () => {
  it('shows the store as available or unavailable according to the last event', () => {
    const { bus, methods } = started({});
    expect(methods.getMetaData().isStoreAvailable).toBe(true);
    bus.publish({ type: 'storeUnavailable', at: 0, instanceId: 'a' });
    expect(methods.getMetaData()).toMatchObject({ isStoreAvailable: false });
    expect(methods.getMetaData().summary).toContain('the job store does not answer');
    bus.publish({ type: 'storeAvailable', at: 0, instanceId: 'a', unavailableFor: 26_000 });
    expect(methods.getMetaData().isStoreAvailable).toBe(true);
  });

  it('shows the node as fenced while its gate is closed', () => {
    const { gate, methods } = started({});
    expect(methods.getMetaData().isFenced).toBe(true);
    gate.open();
    expect(methods.getMetaData().isFenced).toBe(false);
    gate.close();
    expect(methods.getMetaData().isFenced).toBe(true);
  });

  it('never shows a node as fenced if no other node shares the store', () => {
    expect(started(null).methods.getMetaData()).toMatchObject({ isFenced: false, isStoreAvailable: true });
  });
});
