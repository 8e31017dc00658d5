import { openAsked, STORES } from './support';

describe.each(STORES)('a drain (%s)', (store) => {
  it('shows the runs that the node waits for, the longest first, with job, trigger and age', async () => {
    const ends: (() => void)[] = [];
    const long = () => new Promise<void>((resolve) => ends.push(resolve));
    const { scheduler, ask, close } = await openAsked(store, { long });
    try {
      const instanceId = scheduler.getSchedulerInstanceId();
      await scheduler.start();
      for (const name of ['first', 'second']) {
        const started = new Promise<void>((resolve) => scheduler.subscribe(() => resolve(), ['jobStarted']));
        await scheduler.schedule(name, { job: 'long', at: new Date() });
        await started;
      }
      const drained = await ask('nodes.drain', { instanceId });
      expect(drained).toMatchObject({
        ...{ drained: true, running: 2, handedOver: [] },
        waitsFor: [
          { job: { name: 'first' }, trigger: { group: 'DEFAULT', name: 'first' }, runId: expect.any(String) },
          { job: { name: 'second' }, trigger: { group: 'DEFAULT', name: 'second' } },
        ],
      });
      const [first, second] = drained.waitsFor;
      expect(first?.ageMs).toBeGreaterThanOrEqual(second?.ageMs as number);
      const ended = new Promise<void>((resolve) => {
        let left = 2;
        scheduler.subscribe(() => --left === 0 && resolve(), ['triggerCompleted']);
      });
      for (const end of ends) end();
      await ended;
      expect(await ask('nodes.drain', { instanceId })).toMatchObject({ drained: true, running: 0, waitsFor: [] });
    } finally {
      await close();
    }
  });

  it('shows the runs that the node has handed over since it joined', async () => {
    const { scheduler, control, ask, close } = await openAsked(store);
    try {
      const instanceId = scheduler.getSchedulerInstanceId();
      await scheduler.start();
      const listRuns = jest.spyOn(scheduler, 'listRuns').mockResolvedValue({
        items: [
          {
            runId: 'r1',
            jobKey: { group: 'g', name: 'j' },
            triggerKey: { group: 'g', name: 't' },
            endTime: new Date(control.now()),
          },
        ],
        next: null,
      } as never);
      const { handedOver } = await ask('nodes.drain', { instanceId });
      expect(handedOver).toMatchObject([{ runId: 'r1', job: { name: 'j' }, trigger: { name: 't' } }]);
      expect(listRuns.mock.calls).toMatchObject([
        [{ node: instanceId, outcome: 'handedOver', since: expect.any(Date) }],
      ]);
    } finally {
      await close();
    }
  });
});
