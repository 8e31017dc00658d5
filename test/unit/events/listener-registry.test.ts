import type { JobListener, SchedulerListener } from '../../../src/api/scheduler';
import { toError } from '../../../src/base/errors';
import { jobKey } from '../../../src/domain/keys';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { EventBus } from '../../../src/events/event-bus';
import { createListenerRegistry } from '../../../src/events/listener-registry';
import { SCHEDULER_LISTENER_EVENTS } from '../../../src/events/listeners';
import { everything, inGroups, keyEquals, sameMatcher } from '../../../src/events/matchers';
import { aJobDetail, aTrigger } from '../engine/samples';

function setUp() {
  const bus = new EventBus();
  const registry = createListenerRegistry(bus);
  const hearing = (name: string, group: string) =>
    registry.jobListeners
      .matching(jobKey(name, group), (_, error) => {
        throw toError(error);
      })
      .map((listener) => listener.name);
  return { bus, registry, hearing };
}

describe('job and trigger listeners', () => {
  it('receive all events if they have no matchers', () => {
    const { registry, hearing } = setUp();
    registry.addJobListener({ name: 'a' });
    expect(hearing('any', 'thing')).toEqual(['a']);
    expect(registry.getJobListenerMatchers('a')?.some((matcher) => sameMatcher(matcher, everything()))).toBe(true);
  });

  it('receive the events that any of their matchers matches', () => {
    const { registry, hearing } = setUp();
    registry.addJobListener({ name: 'a' }, inGroups('x'), keyEquals(jobKey('n', 'y')));
    expect(hearing('m', 'x')).toEqual(['a']);
    expect(hearing('n', 'y')).toEqual(['a']);
    expect(hearing('m', 'y')).toEqual([]);
  });

  it('can get further matchers, lose an equal one, or have all replaced', () => {
    const { registry, hearing } = setUp();
    registry.addJobListener({ name: 'a' }, inGroups('x'));
    expect(registry.addJobListenerMatcher('a', inGroups('y'))).toBe(true);
    expect(hearing('m', 'y')).toEqual(['a']);
    expect(registry.removeJobListenerMatcher('a', inGroups('x'))).toBe(true);
    expect(registry.removeJobListenerMatcher('a', inGroups('x'))).toBe(false);
    expect(hearing('m', 'x')).toEqual([]);
    expect(registry.setJobListenerMatchers('a', [inGroups('z')])).toBe(true);
    expect([hearing('m', 'y'), hearing('m', 'z')]).toEqual([[], ['a']]);
  });

  it('receive no events after their last matcher is removed', () => {
    const { registry, hearing } = setUp();
    registry.addJobListener({ name: 'a' }, inGroups('x'));
    registry.removeJobListenerMatcher('a', inGroups('x'));
    expect(hearing('m', 'x')).toEqual([]);
    expect(registry.getJobListenerMatchers('a')).toEqual([]);
  });

  it('are found by name, kept in order, and replaced by another one with the same name', () => {
    const { registry } = setUp();
    const [a, b, other]: readonly JobListener[] = [{ name: 'a' }, { name: 'b' }, { name: 'a' }];
    registry.addJobListener(a!);
    registry.addJobListener(b!);
    registry.addJobListener(other!);
    expect(registry.getJobListener('a')).toBe(other);
    expect(registry.getJobListeners()).toEqual([other, b]);
    expect([registry.removeJobListener('a'), registry.removeJobListener('a')]).toEqual([true, false]);
    expect(registry.getJobListener('a')).toBeNull();
  });

  it('return false or null for an unknown name', () => {
    const { registry } = setUp();
    expect(registry.addTriggerListenerMatcher('no', everything())).toBe(false);
    expect(registry.removeTriggerListenerMatcher('no', everything())).toBe(false);
    expect(registry.setTriggerListenerMatchers('no', [])).toBe(false);
    expect(registry.getTriggerListenerMatchers('no')).toBeNull();
    expect(registry.getTriggerListener('no')).toBeNull();
    expect(registry.removeTriggerListener('no')).toBe(false);
  });

  it('are stored separately, even with the same name', () => {
    const { registry } = setUp();
    registry.addTriggerListener({ name: 'a' }, inGroups('x'));
    registry.addJobListener({ name: 'a' });
    expect(registry.getTriggerListeners()).toEqual([{ name: 'a' }]);
    expect(registry.getTriggerListenerMatchers('a')).toHaveLength(1);
    expect(registry.setTriggerListenerMatchers('a', [])).toBe(true);
    expect(registry.addTriggerListenerMatcher('a', inGroups('y'))).toBe(true);
    expect(registry.removeTriggerListenerMatcher('a', inGroups('y'))).toBe(true);
    expect(registry.removeTriggerListener('a')).toBe(true);
    expect(registry.getJobListeners()).toHaveLength(1);
  });

  it('require a name and valid matchers', () => {
    const { registry } = setUp();
    const refused = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
    expect(() => registry.addJobListener({ name: '' })).toThrow(refused);
    expect(() => registry.addJobListener(null as unknown as JobListener)).toThrow(refused);
    expect(() => registry.addJobListener({ name: 'a' }, 'group' as never)).toThrow(refused);
    expect(() => registry.addSchedulerListener(undefined as unknown as SchedulerListener)).toThrow(refused);
    expect(registry.getJobListeners()).toEqual([]);
  });
});

describe('scheduler listeners', () => {
  /** One event for each method of a scheduler listener, with the arguments of the method. */
  const key = { group: 'g', name: 'n' };
  const matcher = { operator: 'equals', value: 'g' } as const;
  const error = new Error('boom');
  const trigger = expect.objectContaining({ key: aTrigger().key, nextFireTime: new Date(0) });
  const cases: readonly (readonly [keyof SchedulerListener, Partial<SchedulerEvent>, readonly unknown[]])[] = [
    ['jobScheduled', { type: 'jobScheduled', trigger: aTrigger() }, [trigger]],
    ['jobUnscheduled', { type: 'jobUnscheduled', triggerKey: key }, [key]],
    ['triggerFinalized', { type: 'triggerFinalized', trigger: aTrigger() }, [trigger]],
    ['triggerPaused', { type: 'triggerPaused', triggerKey: key }, [key]],
    ['triggersPaused', { type: 'triggersPaused', matcher }, [matcher]],
    ['triggerResumed', { type: 'triggerResumed', triggerKey: key }, [key]],
    ['triggersResumed', { type: 'triggersResumed', matcher }, [matcher]],
    ['jobAdded', { type: 'jobAdded', job: aJobDetail() }, [aJobDetail()]],
    ['jobDeleted', { type: 'jobDeleted', jobKey: key }, [key]],
    ['jobPaused', { type: 'jobPaused', jobKey: key }, [key]],
    ['jobsPaused', { type: 'jobsPaused', matcher }, [matcher]],
    ['jobResumed', { type: 'jobResumed', jobKey: key }, [key]],
    ['jobsResumed', { type: 'jobsResumed', matcher }, [matcher]],
    ['schedulerError', { type: 'schedulerError', during: 'testing', error }, ['Failed while testing: boom', error]],
    ['schedulerInStandbyMode', { type: 'schedulerInStandbyMode' }, []],
    ['schedulerStarting', { type: 'schedulerStarting' }, []],
    ['schedulerStarted', { type: 'schedulerStarted' }, []],
    ['schedulerShuttingdown', { type: 'schedulerShuttingDown' }, []],
    ['schedulerShutdown', { type: 'schedulerShutdown', abandonedJobs: 0 }, []],
    ['schedulingDataCleared', { type: 'schedulingDataCleared' }, []],
  ];

  it.each(cases)('receive their event: %s', (method, event, expected) => {
    const { bus, registry } = setUp();
    const heard = jest.fn();
    registry.addSchedulerListener({ [method]: heard });
    bus.publish({ at: 0, ...event } as SchedulerEvent);
    expect(heard.mock.calls).toEqual([expected]);
  });

  it('have a method for every event they receive', () => {
    expect(cases.map(([, { type }]) => type).toSorted()).toEqual(SCHEDULER_LISTENER_EVENTS.toSorted());
  });

  it.each(cases)('may fail or be missing without affecting other listeners: %s', async (method, event) => {
    const { bus, registry } = setUp();
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const heard = jest.fn();
    const fail = () => {
      throw new Error('listener');
    };
    registry.addSchedulerListener({});
    registry.addSchedulerListener({ [method]: fail });
    registry.addSchedulerListener({ [method]: async () => fail() });
    registry.addSchedulerListener({ [method]: () => new Promise(() => {}) });
    registry.addSchedulerListener({ [method]: heard });
    bus.publish({ at: 0, ...event } as SchedulerEvent);
    expect(heard).toHaveBeenCalled();
    await new Promise((resolve) => setImmediate(resolve));
    warn.mockRestore();
  });

  it('are called once, even if added twice, and not after their removal', () => {
    const { bus, registry } = setUp();
    const heard = jest.fn();
    const listener: SchedulerListener = { schedulerStarted: heard };
    registry.addSchedulerListener(listener);
    registry.addSchedulerListener(listener);
    bus.publish({ type: 'schedulerStarted', at: 0 });
    expect(registry.getSchedulerListeners()).toEqual([listener]);
    expect([registry.removeSchedulerListener(listener), registry.removeSchedulerListener(listener)]).toEqual([
      true,
      false,
    ]);
    bus.publish({ type: 'schedulerStarted', at: 0 });
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('do not subscribe to frequent events such as triggerFired', () => {
    const { bus, registry } = setUp();
    registry.addSchedulerListener({ schedulerStarted: () => {} });
    expect(bus.has('triggerFired') || bus.has('triggerCompleted') || bus.has('jobStarted')).toBe(false);
  });
});
