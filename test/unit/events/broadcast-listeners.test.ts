import {
  broadcastJobListener,
  broadcastSchedulerListener,
  broadcastTriggerListener,
  type JobExecutionContext,
  type JobListener,
  type Trigger,
  type TriggerListener,
} from '../../../src';
import { SCHEDULER_LISTENER_EVENTS } from '../../../src/events/listeners';

const context = { runId: 'f' } as JobExecutionContext;
const trigger = {} as Trigger;

/** A listener that records the calls of its methods and their number of arguments. */
function noting(name: string, heard: string[]) {
  return new Proxy({ name } as JobListener & TriggerListener, {
    get: (target, method) =>
      method === 'name'
        ? target.name
        : (...given: unknown[]) => void heard.push(`${name} ${String(method)} ${given.length}`),
  });
}

describe('broadcast listeners', () => {
  it('forward every call to each listener, in order', async () => {
    const heard: string[] = [];
    const [a, b] = [noting('a', heard), noting('b', heard)];
    const job = broadcastJobListener('both', a, b);
    await job.jobToBeExecuted?.(context);
    await job.jobExecutionVetoed?.(context);
    await job.jobWasExecuted?.(context, null, 'NOOP');
    const onTrigger = broadcastTriggerListener('both', a, b);
    await onTrigger.triggerFired?.(trigger, context);
    await onTrigger.vetoJobExecution?.(trigger, context);
    await onTrigger.triggerMisfired?.(trigger);
    await onTrigger.triggerComplete?.(trigger, context, 'NOOP');
    const calls = ['jobToBeExecuted 1', 'jobExecutionVetoed 1', 'jobWasExecuted 3'].concat(
      ['triggerFired 2', 'vetoJobExecution 2', 'triggerMisfired 1', 'triggerComplete 3'], //
    );
    expect(heard).toEqual(calls.flatMap((call) => [`a ${call}`, `b ${call}`]));
    expect([job.name, onTrigger.name]).toEqual(['both', 'both']);
  });

  it('implement every method of a scheduler listener', async () => {
    const heard: string[] = [];
    const both = broadcastSchedulerListener(
      { schedulerStarted: () => void heard.push('a') },
      {},
      {
        schedulerStarted: () => void heard.push('c'),
      },
    );
    const methods = SCHEDULER_LISTENER_EVENTS.map((event) => event.replace('ShuttingDown', 'Shuttingdown'));
    expect(Object.keys(both).sort()).toEqual([...methods].sort());
    await both.schedulerStarted?.();
    expect(heard).toEqual(['a', 'c']);
  });

  it('notify the other listeners if one fails, and reject with its error', async () => {
    const heard: string[] = [];
    const failing: JobListener = { name: 'f', jobToBeExecuted: () => Promise.reject(new Error('no')) };
    const all = broadcastJobListener('all', failing, noting('b', heard));
    await expect(all.jobToBeExecuted?.(context)).rejects.toThrow('no');
    expect(heard).toEqual(['b jobToBeExecuted 1']);
  });

  it('veto if one listener does, even if another fails', async () => {
    const vetoes: TriggerListener = { name: 'v', vetoJobExecution: () => true };
    const permits: TriggerListener = { name: 'p', vetoJobExecution: async () => false };
    const fails: TriggerListener = {
      name: 'f',
      vetoJobExecution: () => {
        throw new Error('no');
      },
    };
    const asked = (...all: TriggerListener[]) =>
      broadcastTriggerListener('x', ...all).vetoJobExecution?.(trigger, context);
    expect(await asked(permits, { name: 'silent' })).toBe(false);
    expect(await asked(vetoes, permits)).toBe(true);
    expect(await asked(fails, vetoes)).toBe(true);
    await expect(asked(fails, permits)).rejects.toThrow('no');
  });
});
