import type { JobListener, TriggerListener } from '../../../src/api/scheduler';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import { jobKey } from '../../../src/domain/keys';
import type { SchedulerEventOf } from '../../../src/domain/scheduler-event';
import { newRun } from '../../../src/engine/job-context';
import { EventBus } from '../../../src/events/event-bus';
import { ListenerDispatch } from '../../../src/events/listener-dispatch';
import { createListenerRegistry } from '../../../src/events/listener-registry';
import { keyEquals } from '../../../src/events/matchers';
import { MemoryJobStore } from '../../../src/store/memory/memory-job-store';
import { aFiring, aTrigger, threads } from '../engine/samples';

const TIMEOUT = 5_000;

function setUp() {
  const clock = new ManualClock();
  const bus = new EventBus();
  const registry = createListenerRegistry(bus);
  const dispatch = new ListenerDispatch({ registry, bus, clock, listenerTimeout: TIMEOUT });
  const errors: SchedulerEventOf<'schedulerError'>[] = [];
  bus.subscribe((event) => errors.push(event as SchedulerEventOf<'schedulerError'>), ['schedulerError']);
  const scheduler = () => {
    throw new Error('no scheduler here');
  };
  const host = { scheduler, clock, store: new MemoryJobStore(() => 'x'), threads };
  const { context } = newRun(host, aFiring(), { execute() {} });
  return { clock, registry, dispatch, errors, context };
}

/** Ways in which a call can fail. */
const FAULTS = {
  throws: () => {
    throw new Error('boom');
  },
  rejects: () => Promise.reject(new Error('boom')),
  'rejects with nothing': () => Promise.reject(),
  hangs: () => new Promise<never>(() => {}),
};

type Faulty = keyof typeof FAULTS;
const faults = Object.keys(FAULTS) as readonly Faulty[];

const codeOf = (fault: Faulty) => (fault === 'hangs' ? 'LISTENER_TIMEOUT' : 'LISTENER_FAILED');

describe('ListenerDispatch', () => {
  const calls = {
    triggerFired: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.checkVeto(context),
    vetoJobExecution: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.checkVeto(context),
    jobToBeExecuted: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.notifyTriggerFired(context),
    jobExecutionVetoed: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.jobExecutionVetoed(context),
    jobWasExecuted: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.jobEnded(context, null, 'NOOP'),
    triggerComplete: ({ dispatch, context }: ReturnType<typeof setUp>) => dispatch.jobEnded(context, null, 'NOOP'),
    triggerMisfired: ({ dispatch }: ReturnType<typeof setUp>) => dispatch.triggerMisfired(aTrigger()),
  };
  const methods = Object.keys(calls) as readonly (keyof typeof calls)[];
  const matrix = methods.flatMap((method) => faults.map((fault) => [method, fault] as const));

  it.each(matrix)('skips a listener whose %s %s, and reports it', async (method, fault) => {
    const parts = setUp();
    const { clock, registry, dispatch, errors } = parts;
    const heard = jest.fn();
    for (const [name, call] of [
      ['bad', FAULTS[fault]],
      ['good', heard],
    ] as const) {
      registry.addJobListener({ name, [method]: call } as JobListener);
      registry.addTriggerListener({ name, [method]: call } as TriggerListener);
    }
    const told = calls[method](parts);
    await yieldToEventLoop();
    if (fault === 'hangs') clock.advanceBy(TIMEOUT);
    expect(await told).not.toBe(true);
    await dispatch.whenIdle();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(errors.map(({ error }) => (error as { code?: string }).code)).toEqual([codeOf(fault)]);
    expect(errors[0]?.during).toContain(method);
    expect(errors[0]?.error.message).toContain("listener 'bad'");
    expect(clock.nextWakeTime).toBeNull();
  });

  it('vetoes if any trigger listener does, after it has called all of them', async () => {
    const { registry, dispatch, context } = setUp();
    const asked: string[] = [];
    for (const [name, answer] of Object.entries({ a: false, b: true, c: false })) {
      registry.addTriggerListener({
        name,
        triggerFired: () => void asked.push(`${name} fired`),
        vetoJobExecution: async () => {
          asked.push(`${name} veto`);
          return answer;
        },
      });
    }
    expect(await dispatch.checkVeto(context)).toBe(true);
    expect(asked).toEqual(['a fired', 'a veto', 'b fired', 'b veto', 'c fired', 'c veto']);
  });

  it('accepts only true as a veto', async () => {
    const { registry, dispatch, context } = setUp();
    registry.addTriggerListener({ name: 'a', vetoJobExecution: () => 'yes' as unknown as boolean });
    registry.addTriggerListener({ name: 'b' });
    expect(await dispatch.checkVeto(context)).toBe(false);
  });

  it('calls job listeners, then trigger listeners, one after another, at the end of a job', async () => {
    const { registry, dispatch, context } = setUp();
    const heard: unknown[] = [];
    const slowly = (what: unknown) => async () => {
      await yieldToEventLoop();
      heard.push(what);
    };
    registry.addTriggerListener({ name: 't', triggerComplete: (_, __, instruction) => void heard.push(instruction) });
    registry.addJobListener({ name: 'a', jobWasExecuted: slowly('a') });
    registry.addJobListener({ name: 'b', jobWasExecuted: slowly('b') });
    const told = dispatch.jobEnded(context, null, 'DELETE_TRIGGER');
    expect(dispatch.pending).toBe(1);
    await told;
    expect(heard).toEqual(['a', 'b', 'DELETE_TRIGGER']);
    expect(dispatch.pending).toBe(0);
  });

  it('calls only listeners whose matchers match', async () => {
    const { registry, dispatch, context } = setUp();
    const heard = jest.fn();
    registry.addJobListener({ name: 'other', jobToBeExecuted: heard }, keyEquals(jobKey('other')));
    await dispatch.notifyTriggerFired(context);
    expect(heard).not.toHaveBeenCalled();
    registry.addJobListenerMatcher('other', keyEquals(context.jobDetail.key));
    await dispatch.notifyTriggerFired(context);
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('reports a matcher that throws, and does not call its listener', async () => {
    const { registry, dispatch, context, errors } = setUp();
    const heard = jest.fn();
    const broken = { isMatch: FAULTS.throws };
    registry.addJobListener({ name: 'broken', jobToBeExecuted: heard }, broken);
    registry.addTriggerListener({ name: 'broken', triggerFired: heard }, broken);
    registry.addJobListener({ name: 'good', jobToBeExecuted: heard });
    await dispatch.notifyTriggerFired(context);
    expect(await dispatch.checkVeto(context)).toBe(false);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(errors).toHaveLength(2);
  });

  it('ignores the rejection of a listener after its timeout', async () => {
    const { clock, registry, dispatch, context, errors } = setUp();
    let reject = (_: Error) => {};
    registry.addJobListener({
      name: 'late',
      jobToBeExecuted: () =>
        new Promise((_, fail) => {
          reject = fail;
        }),
    });
    const told = dispatch.notifyTriggerFired(context);
    clock.advanceBy(TIMEOUT);
    await told;
    reject(new Error('too late'));
    await yieldToEventLoop();
    expect(errors).toHaveLength(1);
  });

  it('sets no timer for listeners that return at once', async () => {
    const { clock, registry, dispatch, context } = setUp();
    const sleep = jest.spyOn(clock, 'sleepUntil');
    registry.addJobListener({ name: 'a', jobToBeExecuted: () => {} });
    registry.addTriggerListener({ name: 'a', vetoJobExecution: () => false });
    await dispatch.checkVeto(context);
    await dispatch.notifyTriggerFired(context);
    expect(sleep).not.toHaveBeenCalled();
  });

  it('is empty without listeners', () => {
    const { registry, dispatch } = setUp();
    expect(dispatch.isEmpty).toBe(true);
    registry.addTriggerListener({ name: 'a' });
    expect(dispatch.isEmpty).toBe(false);
  });

  it('waits for running listeners only until its limit when closed', async () => {
    const { clock, registry, dispatch, context } = setUp();
    registry.addJobListener({ name: 'slow', jobWasExecuted: FAULTS.hangs });
    await dispatch.close(100);
    void dispatch.jobEnded(context, null, 'NOOP');
    const closed = dispatch.close(100);
    clock.advanceBy(100);
    await closed;
    expect(dispatch.pending).toBe(1);
  });

  it('leaves no timer when closed, and still accepts the result of a pending call', async () => {
    const { clock, registry, dispatch, errors, context } = setUp();
    let answer = (_: boolean) => {};
    const vetoJobExecution = () => new Promise<boolean>((resolve) => (answer = resolve));
    registry.addTriggerListener({ name: 'slow', vetoJobExecution });
    const vetoed = dispatch.checkVeto(context);
    registry.addJobListener({ name: 'hanging', jobWasExecuted: FAULTS.hangs });
    void dispatch.jobEnded(context, null, 'NOOP');
    await yieldToEventLoop();
    const closed = dispatch.close(100);
    clock.advanceBy(100);
    await closed;
    expect(clock.nextWakeTime).toBeNull();
    answer(true);
    expect(await vetoed).toBe(true);
    void dispatch.notifyTriggerFired(context);
    expect([clock.nextWakeTime, errors]).toEqual([null, []]);
  });
});
