import type { NodeHooks } from '../../../../src/cluster/node-hooks';
import { NodeHooksRelay } from '../../../../src/scheduler/node/node-hooks-relay';

function hearing(receive: NodeHooks['receive'] = async () => {}) {
  const heard: string[] = [];
  const target: NodeHooks = {
    publish: ({ type }) => heard.push(type),
    firingAllowed: (isAllowed) => heard.push(`firing ${isAllowed}`),
    leaseLost: (reason) => heard.push(reason),
    storeAvailable: () => heard.push('available'),
    scheduleChanged: (earliest) => heard.push(`earliest ${earliest}`),
    receive,
  };
  return { heard, target };
}

const tellAll = ({ publish, firingAllowed, leaseLost, scheduleChanged, storeAvailable }: NodeHooks) => {
  publish({ type: 'nodeJoined', at: 1, instanceId: 'a' });
  firingAllowed(true);
  scheduleChanged(5);
  leaseLost('leaseExpired');
  storeAvailable();
};

const ALL = ['nodeJoined', 'firing true', 'earliest 5', 'leaseExpired', 'available'];

it('keeps what is told before anybody hears it, in its order, and hands on everything after', () => {
  const relay = new NodeHooksRelay();
  const { heard, target } = hearing();
  tellAll(relay);
  expect(heard).toEqual([]);
  relay.connect(target);
  expect(heard).toEqual(ALL);
  tellAll(relay);
  expect(heard).toEqual([...ALL, ...ALL]);
});

it('answers what was asked too early when there is somebody who can', async () => {
  const relay = new NodeHooksRelay();
  const asked = relay.receive({ type: 'settle' });
  const refused = relay.receive({ type: 'interruptFireInstance', fireInstanceId: 'x' });
  const { target } = hearing(async ({ type }) => {
    if (type !== 'settle') throw new Error('not here');
  });
  relay.connect(target);
  await expect(asked).resolves.toBeUndefined();
  await expect(refused).rejects.toThrow('not here');
});
