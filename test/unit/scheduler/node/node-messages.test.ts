import { MessageChannel } from 'node:worker_threads';
import { SchedulerError } from '../../../../src/base/errors';
import type { NodeHooks } from '../../../../src/cluster/node-hooks';
import type { SchedulerEvent } from '../../../../src/domain/scheduler-event';
import { remoteHooks, servedHooks } from '../../../../src/scheduler/node/node-hooks';
import type { ClusterMember } from '../../../../src/scheduler/node/store-node';
import { Connection } from '../../../../src/store/thread/connection';

/** Both ends of a real message channel, which clones every message. */
function connected(hooks: Partial<NodeHooks> = {}, member: Partial<ClusterMember> = {}) {
  const { port1, port2 } = new MessageChannel();
  const heard: unknown[] = [];
  const target: NodeHooks = {
    publish: (event) => heard.push(event),
    firingAllowed: (isAllowed) => heard.push(isAllowed),
    leaseLost: (reason) => heard.push(reason),
    othersTakeWork: () => undefined,
    storeAvailable: () => heard.push('available'),
    scheduleChanged: (earliest) => heard.push(earliest),
    receive: async (signal) => void heard.push(signal),
    ...hooks,
  };
  const main = new Connection(port1, { hooks: servedHooks(target) });
  const thread = new Connection(port2, { member });
  const close = () => port1.close();
  return { heard, hooks: remoteHooks(thread), member: main.remote<ClusterMember>('member'), close };
}

const EVENTS: readonly SchedulerEvent[] = [
  { type: 'nodeFenced', at: 1, instanceId: 'a', reason: 'takenOver' },
  { type: 'schedulerError', at: 2, during: 'checking in', error: new SchedulerError('STORE_FAILURE', 'gone') },
];

it('hooks transfer all calls to the other thread in order, and errors with their code', async () => {
  const { heard, hooks, close } = connected();
  for (const event of EVENTS) hooks.publish(event);
  hooks.firingAllowed(true);
  hooks.leaseLost('leaseExpired');
  hooks.scheduleChanged(null);
  hooks.storeAvailable();
  await hooks.receive({ type: 'interruptRun', runId: 'x' });
  expect(heard).toEqual([...EVENTS, true, 'leaseExpired', null, 'available', { type: 'interruptRun', runId: 'x' }]);
  expect(heard[1]).toMatchObject({ error: { code: 'STORE_FAILURE' } });
  close();
});

it('the receive hook rejects if the other thread fails to handle the signal', async () => {
  const { hooks, close } = connected({
    receive: async () => {
      throw new SchedulerError('SCHEDULER_STATE', 'shut down');
    },
  });
  await expect(hooks.receive({ type: 'confirmStarted' })).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
  close();
});

it('the other thread can start and stop a cluster member', async () => {
  const called: string[] = [];
  const { member, close } = connected(
    {},
    {
      start: async () => void called.push('start'),
      stop: async () => void called.push('stop'),
    },
  );
  await member.start();
  await member.stop();
  expect(called).toEqual(['start', 'stop']);
  close();
});

it('the start of a cluster member that cannot join rejects with its error code', async () => {
  const { member, close } = connected(
    {},
    {
      start: async () => {
        throw new SchedulerError('INSTANCE_ID_TAKEN', 'somebody else');
      },
    },
  );
  await expect(member.start()).rejects.toMatchObject({ code: 'INSTANCE_ID_TAKEN' });
  close();
});

it('checkLease reports a lost lease before it resolves', async () => {
  const { heard, hooks, member, close } = connected({}, { checkLease: async () => hooks.leaseLost('leaseExpired') });
  await member.checkLease();
  expect(heard).toEqual(['leaseExpired']);
  close();
});
