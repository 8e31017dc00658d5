import { importFrom } from './packages.mjs';

const POLL_SECONDS = 0.5;

export async function open(settings, began) {
  const { PgBoss, default: Default = PgBoss } = await importFrom(settings.text('packages'), 'pg-boss');
  const boss = new Default({ connectionString: settings.text('url'), max: 20 });
  boss.on('error', (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue('peers').catch(() => undefined); // it is there already
  const work = (jobs) => jobs.forEach(({ data }) => void began(data?.at));
  return {
    one: (at) => boss.send('peers', { at }),
    bulk: (length) => boss.insert(Array.from({ length }, () => ({ name: 'peers' }))),
    async work() {
      // Each fetch loop takes a batch at a time.
      const options = { batchSize: 100, pollingIntervalSeconds: POLL_SECONDS };
      for (let loop = 0; loop < 4; loop++) await boss.work('peers', options, async (jobs) => work(jobs));
    },
    close: () => boss.stop({ graceful: false }),
    clear: () => boss.purgeQueue('peers'),
  };
}
