import { createScheduler, type Scheduler } from '../../../src';

describe('a second scheduler of the same name in one process', () => {
  const schedulers: Scheduler[] = [];
  const warnings: string[] = [];

  const boot = async (instanceName: string) => {
    const scheduler = await createScheduler({ scheduler: { instanceName, logLevel: 'silent' } });
    schedulers.push(scheduler);
    scheduler.subscribe((event) => {
      if (event.type === 'configurationWarning') warnings.push(event.message);
    });
    await scheduler.start();
    return scheduler;
  };

  afterEach(async () => {
    for (const scheduler of schedulers.splice(0)) await scheduler.shutdown();
    warnings.length = 0;
  });

  it('causes a warning with the number of runs of each job if it uses the memory store', async () => {
    for (let i = 0; i < 3; i++) await boot('App');
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toMatch(/^2 other schedulers named 'App' already run in this process.*each job runs 3 times/);
  });

  it('causes no warning after a shutdown or a second start, nor under another name', async () => {
    const first = await boot('App');
    await boot('Other');
    await first.shutdown();
    const again = await boot('App');
    await again.standby();
    await again.start();
    expect(warnings).toEqual([]);
  });
});
