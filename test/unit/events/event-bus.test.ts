import { StoreClosedError } from '../../../src/base/errors';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { EventBus } from '../../../src/events/event-bus';

const started: SchedulerEvent = { type: 'schedulerStarted', at: 1 };
const failed: SchedulerEvent = { type: 'schedulerError', at: 2, during: 'testing', error: new Error('boom') };

describe('EventBus', () => {
  it('delivers every event to subscribers without a filter, in the order of subscription', () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.subscribe((event) => heard.push(`a ${event.type}`));
    bus.subscribe((event) => heard.push(`b ${event.type}`));
    bus.publish(started);
    expect(heard).toEqual(['a schedulerStarted', 'b schedulerStarted']);
  });

  it('delivers only the requested types', () => {
    const bus = new EventBus();
    const heard: string[] = [];
    bus.subscribe((event) => heard.push(event.type), ['schedulerError']);
    bus.publish(started);
    bus.publish(failed);
    expect(heard).toEqual(['schedulerError']);
  });

  it('suppresses errors that occur because this process has closed its store', () => {
    const bus = new EventBus();
    const heard: SchedulerEvent[] = [];
    bus.subscribe((event) => heard.push(event));
    bus.publish({ type: 'schedulerError', at: 3, during: 'looking', error: new StoreClosedError() });
    bus.publish(failed);
    expect(heard).toEqual([failed]);
  });

  it('shows whether a type has a subscriber', () => {
    const bus = new EventBus();
    expect(bus.has('triggerFired')).toBe(false);
    const end = bus.subscribe(() => {}, ['schedulerStarted']);
    expect([bus.has('schedulerStarted'), bus.has('triggerFired')]).toEqual([true, false]);
    const endAll = bus.subscribe(() => {});
    expect(bus.has('triggerFired')).toBe(true);
    end();
    endAll();
    expect([bus.has('schedulerStarted'), bus.has('triggerFired')]).toEqual([false, false]);
  });

  it('delivers nothing after the end of a subscription, which may be ended twice', () => {
    const bus = new EventBus();
    const heard: string[] = [];
    const subscriber = (event: SchedulerEvent) => heard.push(event.type);
    const end = bus.subscribe(subscriber);
    bus.subscribe(subscriber);
    end();
    end();
    bus.publish(started);
    expect(heard).toEqual(['schedulerStarted']);
  });

  it('supports subscribers that come and go during a delivery', () => {
    const bus = new EventBus();
    const heard: string[] = [];
    const end = bus.subscribe(() => {
      end();
      bus.subscribe(() => heard.push('late'));
    });
    bus.subscribe(() => heard.push('steady'));
    bus.publish(started);
    expect(heard).toEqual(['steady']);
    bus.publish(started);
    expect(heard).toEqual(['steady', 'steady', 'late']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])('reports a subscriber that %s, and delivers the event to the others', async (_, subscriber) => {
    const bus = new EventBus();
    const heard: SchedulerEvent[] = [];
    bus.subscribe(subscriber as () => void, ['schedulerStarted']);
    bus.subscribe((event) => heard.push(event));
    bus.publish(started);
    await yieldToEventLoop();
    expect(heard.map(({ type }) => type).toSorted()).toEqual(['schedulerError', 'schedulerStarted']);
    expect(heard.find(({ type }) => type === 'schedulerError')).toMatchObject({ error: { message: 'boom' }, at: 1 });
  });

  it('emits a process warning instead of another event if a subscriber to errors fails', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const bus = new EventBus();
    const heard: string[] = [];
    bus.subscribe(() => {
      throw new Error('worse');
    });
    bus.subscribe((event) => heard.push(event.type));
    bus.publish(failed);
    expect(heard).toEqual(['schedulerError']);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
