import { ask, closeAll, type Store, testConsole, testScheduler } from './support';

const LATER = new Date('2999-01-01T00:00:00Z');

describe.each<Store>(['memory', 'sqlite'])('why a trigger does not fire, in %s', (store) => {
  afterEach(closeAll);

  async function explainer(jobs = {}) {
    const scheduler = await testScheduler({ store, jobs });
    const shown = testConsole(scheduler);
    const codes = async (name: string) => {
      const { body } = await ask(shown, `api/schedulers/Reports/triggers/DEFAULT/${name}/explanation`);
      return body.reasons.map(({ code }: { readonly code: string }) => code);
    };
    return { scheduler, shown, codes };
  }

  it('is that no node is started', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.schedule('noop', { at: LATER });
    expect(await codes('noop')).toEqual(['notStarted', 'later']);
  });

  it('is that it is not due, or paused, and by whom', async () => {
    const { scheduler, shown, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    expect(await codes('noop')).toEqual(['later']);
    await scheduler.pauseTrigger({ name: 'noop', group: 'DEFAULT' }, { by: 'Ada', reason: 'the feed is down' });
    const { body } = await ask(shown, 'api/schedulers/Reports/triggers/DEFAULT/noop/explanation');
    expect(body.reasons[0]).toMatchObject({ code: 'paused', text: expect.stringMatching(/by Ada.*the feed is down/) });
  });

  it('is that all nodes that can run it drain', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    await scheduler.drain(scheduler.getSchedulerInstanceId());
    expect(await codes('noop')).toEqual(['nodesDraining', 'later']);
  });

  it('is that no node has the labels', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER, runsOn: 'gpu' });
    expect(await codes('noop')).toEqual(['noNode', 'later']);
  });

  it('is not told of a trigger that is not there', async () => {
    const { shown } = await explainer();
    const { status, body } = await ask(shown, 'api/schedulers/Reports/triggers/DEFAULT/nothing/explanation');
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'TRIGGER_NOT_FOUND' });
  });
});
