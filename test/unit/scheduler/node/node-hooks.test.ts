import { Gate } from '../../../../src/base/gate';
import { jobKey } from '../../../../src/domain/keys';
import type { SchedulerEvent } from '../../../../src/domain/scheduler-event';
import { type HookedEngine, schedulerHooks } from '../../../../src/scheduler/node/node-hooks';

function acting({ isConnected = true } = {}) {
  const done: string[] = [];
  const published: SchedulerEvent[] = [];
  const gate = new Gate();
  const { hooks, connect } = schedulerHooks({ publish: (event) => void published.push(event) }, gate);
  const engine: HookedEngine = {
    abortJobs: () => void done.push('abort'),
    setOthers: (takeWork) => void done.push(`others ${takeWork}`),
    storeAvailable: () => void done.push('available'),
    scheduleChanged: (earliest) => void done.push(`changed ${earliest}`),
    interruptJob: ({ name }) => done.push(`interrupt ${name}`) > 0,
    interruptRun: (id) => done.push(`interrupt ${id}`) > 0,
    whenStarted: async () => done.push('begun') > 0,
  };
  if (isConnected) connect(engine);
  const connectWith = (own: Partial<HookedEngine> = {}) => connect({ ...engine, ...own });
  return { done, published, gate, hooks, connect: connectWith };
}

it('the firingAllowed hook opens and closes the gate of the trigger loop', () => {
  const { gate, hooks } = acting();
  hooks.firingAllowed(true);
  expect(gate.isOpen).toBe(true);
  hooks.firingAllowed(false);
  expect(gate.isOpen).toBe(false);
});

it('the hooks publish events, abort jobs and wake the trigger loop', () => {
  const { done, published, hooks } = acting();
  hooks.publish({ type: 'nodeJoined', at: 1, instanceId: 'a' });
  hooks.leaseLost('takenOver');
  hooks.scheduleChanged(7);
  hooks.storeAvailable();
  hooks.othersTakeWork(true);
  expect([published.length, done]).toEqual([1, ['abort', 'changed 7', 'available', 'others true']]);
});

it('the receive hook interrupts jobs and runs, and confirms that earlier firings have begun', async () => {
  const { done, hooks } = acting();
  await hooks.receive({ type: 'interruptJob', jobKey: jobKey('job') });
  await hooks.receive({ type: 'interruptRun', runId: 'f' });
  await hooks.receive({ type: 'confirmStarted' });
  // Another run of the job may have been fired without having begun.
  expect(done).toEqual(['interrupt job', 'begun', 'interrupt job', 'interrupt f', 'begun']);
});

it('the receive hook interrupts a run that begins after the request of another node', async () => {
  const { hooks, connect } = acting({ isConnected: false });
  const heard: string[] = [];
  let hasBegun = false;
  connect({
    interruptRun: (id) => hasBegun && heard.push(id) > 0,
    whenStarted: async () => {
      hasBegun = true;
      return true;
    },
  });
  await hooks.receive({ type: 'interruptRun', runId: 'f' });
  expect(heard).toEqual(['f']);
});

it('events before the connection of the engine are published later in order, and other hooks do nothing', () => {
  const { done, published, hooks, gate, connect } = acting({ isConnected: false });
  hooks.publish({ type: 'nodeJoined', at: 1, instanceId: 'a' });
  hooks.publish({ type: 'nodeJoined', at: 2, instanceId: 'b' });
  hooks.firingAllowed(true);
  hooks.leaseLost('leaseExpired');
  expect([published, done, gate.isOpen]).toEqual([[], [], true]);
  connect();
  hooks.publish({ type: 'nodeJoined', at: 3, instanceId: 'c' });
  expect(published.map(({ at }) => at)).toEqual([1, 2, 3]);
});
