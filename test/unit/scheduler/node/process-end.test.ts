import { ManualClock } from '../../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../../src/base/yield-to-event-loop';
import type { NodeHooks } from '../../../../src/cluster/node-hooks';
import { endingHooks, killProcess } from '../../../../src/scheduler/node/processes';

async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advanceBy(milliseconds);
  await yieldToEventLoop();
}

function hooks(isDebugged = false) {
  const heard: string[] = [];
  const own: NodeHooks = {
    publish: ({ type }) => heard.push(type),
    firingAllowed: (isAllowed) => heard.push(`firing ${isAllowed}`),
    leaseLost: (reason) => heard.push(reason),
    othersTakeWork: () => undefined,
    storeAvailable: () => heard.push('available'),
    scheduleChanged: (earliest) => heard.push(`earliest ${earliest}`),
    receive: async ({ type }) => void heard.push(type),
  };
  const clock = new ManualClock(0);
  const end = () => heard.push('end');
  return { clock, heard, hooks: endingHooks(own, { clock, isDebugged: () => isDebugged, end }) };
}

it('the process ends half a second after the lost lease was reported', async () => {
  const { clock, heard, hooks: ending } = hooks();
  ending.leaseLost('takenOver');
  await pass(clock, 499);
  expect(heard).toEqual(['takenOver']);
  await pass(clock, 1);
  expect(heard).toEqual(['takenOver', 'end']);
});

it('the process does not end while it is debugged', async () => {
  const { clock, heard, hooks: ending } = hooks(true);
  ending.leaseLost('mainStalled');
  await pass(clock, 10_000);
  expect(heard).toEqual(['mainStalled']);
});

it('all other hooks are forwarded', async () => {
  const { heard, hooks: ending } = hooks();
  ending.publish({ type: 'nodeJoined', at: 1, instanceId: 'a' });
  ending.firingAllowed(false);
  ending.scheduleChanged(null);
  ending.storeAvailable();
  await ending.receive({ type: 'confirmStarted' });
  expect(heard).toEqual(['nodeJoined', 'firing false', 'earliest null', 'available', 'confirmStarted']);
});

it('the main thread exits if the process survives its own SIGKILL, as the first process of a container does', () => {
  const heard: string[] = [];
  killProcess(
    () => heard.push('exit'),
    (signal) => heard.push(signal),
  );
  expect(heard).toEqual(['SIGKILL', 'exit']);
});
