import { JobExecutionException } from '../../src/api/job-execution-exception';
import { until } from '../support/until';
import { type Asked, openAsked, STORES } from './support';

const FAR = '2099-01-01T00:00:00.000Z';

describe.each(STORES)('a trigger that does not fire (%s)', (store) => {
  let asked: Asked;
  let release: () => void;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });

  beforeAll(async () => {
    asked = await openAsked(store, {
      slow: () => released,
      last: async () => {
        throw new JobExecutionException('the last run', { unscheduleFiringTrigger: true });
      },
    });
  });
  afterAll(() => asked.close());

  const comingOf = async (name: string) => {
    const { lanes } = await asked.ask('timeline.show', {});
    const { fireTimes, state } = await asked.ask('triggers.show', { name });
    return { state, timeline: lanes.find(({ trigger }) => trigger.name === name)?.coming, shown: fireTimes };
  };

  it('has no next fire times if it is paused, paused while its job runs, or ended by its job', async () => {
    const { scheduler } = asked;
    await scheduler.schedule('paused', { job: 'noop', every: '1m', startAt: FAR });
    await scheduler.pauseTrigger('paused');
    await scheduler.schedule('busy', { job: 'slow', every: '1s', disallowConcurrentExecution: true });
    await scheduler.schedule('ended', { job: 'last', every: '1m' });
    await scheduler.start();
    await until(
      () => scheduler.getTriggerState('busy'),
      (state) => state === 'BLOCKED',
    );
    await scheduler.pauseTrigger('busy');
    await until(
      () => scheduler.getTriggerState('ended'),
      (state) => state === 'COMPLETE',
    );
    const none = { timeline: [], shown: [] };
    expect(await comingOf('paused')).toEqual({ ...none, state: 'PAUSED' });
    expect(await comingOf('busy')).toEqual({ ...none, state: 'PAUSED_BLOCKED' });
    expect(await comingOf('ended')).toEqual({ ...none, state: 'COMPLETE' });
    release();
  });
});
