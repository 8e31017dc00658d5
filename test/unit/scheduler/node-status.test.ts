import { Gate } from '../../../src/base/gate';
import { EventBus } from '../../../src/events/event-bus';
import { NodeStatus } from '../../../src/scheduler/node-status';

describe('the status of a node', () => {
  it('says whether the store is available, by the last that was told', () => {
    const bus = new EventBus();
    const status = new NodeStatus(bus, new Gate());
    expect(status.isStoreAvailable).toBe(true);
    bus.publish({ type: 'storeUnavailable', at: 0, instanceId: 'a' });
    expect(status.isStoreAvailable).toBe(false);
    bus.publish({ type: 'storeAvailable', at: 0, instanceId: 'a', unavailableFor: 26_000 });
    expect(status.isStoreAvailable).toBe(true);
  });

  it('says whether the node may fire now', () => {
    const gate = new Gate();
    const status = new NodeStatus(new EventBus(), gate);
    expect(status.mayFire).toBe(false);
    gate.open();
    expect(status.mayFire).toBe(true);
    gate.close();
    expect(status.mayFire).toBe(false);
  });

  it('always may where nobody shares the store', () => {
    const status = new NodeStatus(new EventBus(), null);
    expect([status.mayFire, status.isStoreAvailable]).toEqual([true, true]);
  });
});
