import { ask, closeAll, testConsole, testScheduler } from '../console/support';

/** Schedules that are very long, rarely or never fire, or have many parts. */
const SCHEDULES: readonly object[] = [
  { cron: `0 0 0 ? * ${'MON,'.repeat(20_000)}MON` },
  { cron: `${'*/1,'.repeat(20_000)}1 * * * * ?` },
  { cron: '0 0 0 30 2 ? 2099' },
  { cron: '0 0 0 30 2 ?' },
  { cron: '0 0 0 29 2 ? 2099' },
  { cron: '0 0 0 31 2,4,6,9,11 ? *' },
  { cron: '(a+)+$'.repeat(2_000) },
  { cron: ' '.repeat(50_000) },
  { cron: `0 0 0 L-${'9'.repeat(5_000)} * ?` },
  { cron: '0 0 12 * * ?', timeZone: 'Europe/'.repeat(5_000) },
  { cron: '0 0 12 * * ?', timeZone: `GMT+${'0'.repeat(10_000)}` },
  { every: `P${'1D'.repeat(20_000)}` },
  { every: `${'9'.repeat(50_000)}d` },
];

describe('a schedule that is designed to be slow', () => {
  afterEach(closeAll);

  it.each(
    SCHEDULES.map((schedule) => [JSON.stringify(schedule).slice(0, 60), schedule] as const),
  )('is accepted or refused within five seconds: %s', async (_, schedule) => {
    const shown = testConsole(await testScheduler());
    const body = { name: 'slow', job: { name: 'slow', type: 'noop' }, ...schedule };
    const start = performance.now();
    const { status } = await ask(shown, 'api/schedulers/Reports/triggers', { method: 'POST', body });
    expect(performance.now() - start).toBeLessThan(5_000);
    expect([status, status < 500]).toEqual([status, true]);
  });
});
