import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '../../src/base/ids';
import { testScheduler } from '../console/support';
import { DatabaseSync } from '../support/sqlite';
import { closeBrowser, closeShown, look, serveConsole, titled, until } from './harness';

/*
 * The action log of the page: the actor, the action, and the old and new value of each changed field. Also unreadable rows of a list.
 */

const file = join(tmpdir(), `quartz-ts-actions-${systemRandom.token(12)}.db`);

afterEach(closeShown);
afterAll(async () => {
  await closeBrowser();
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
});

test('the action log shows the old and new value of each edited field, with secrets masked', async () => {
  const served = await serveConsole(await testScheduler({ store: 'sqlite', file }));
  const { page, open, failures } = await look(served);
  const data = { bucket: 'copies', apiToken: 'hunter2' };
  await served.post('/jobs', { name: 'backup', type: 'noop', durable: true, data });
  await served.post('/triggers', { name: 'nightly', job: 'backup', cron: '0 0 2 * * ?', timeZone: 'UTC' });
  await open('triggers/DEFAULT/nightly/edit');
  await page.getByRole('textbox', { name: 'cron' }).fill('0 0 3 * * ?');
  await page.getByRole('button', { name: 'Save' }).click();
  await titled(page, 'nightly');
  await open('jobs/DEFAULT/backup/edit');
  await page.getByRole('textbox', { name: 'data' }).fill('{ "bucket": "archive", "apiToken": "hunter3" }');
  await page.getByRole('button', { name: 'Save' }).click();
  await titled(page, 'backup');
  await served.post('/triggers/DEFAULT/nightly/pause', { reason: 'The disk is full' });

  await open('actions');
  await page
    .getByRole('row', { name: /anna Edit trigger .*nightly.*cron: 0 0 2 \* \* \? → 0 0 3 \* \* \?.*done/ })
    .waitFor();
  const job = page.getByRole('row', { name: /Edit job .*backup/ });
  expect(await job.innerText()).toMatch(/data\.bucket: copies → archive\s+data\.apiToken: \*\*\* → \*\*\*/);
  expect(await page.content()).not.toMatch(/hunter[23]/);
  await page.getByRole('row', { name: /Pause trigger .*nightly/ }).waitFor();

  expect(failures).toEqual([]);
});

test('an unreadable run is listed with the reason, next to the readable runs', async () => {
  const scheduler = await testScheduler({ store: 'sqlite', file });
  const served = await serveConsole(scheduler);
  const { page, open, failures } = await look(served);
  await served.post('/jobs', { name: 'copy', type: 'noop', durable: true, history: 'all' });
  await scheduler.start();
  const ends = async (count: number) => {
    await served.post('/jobs/DEFAULT/copy/fire', {});
    await until(
      () => scheduler.listRuns({ limit: 10 }),
      ({ items }) => items.length === count,
    );
  };
  await ends(1);
  const database = new DatabaseSync(file);
  database.exec("UPDATE QRTZ_X_RUNS SET OUTCOME = 'zzz'");
  database.close();
  await ends(2);
  await open('runs');
  await page.getByRole('row', { name: /unreadable outcome: .*zzz.*copy/ }).waitFor();
  expect(await page.getByRole('cell', { name: 'succeeded', exact: true }).count()).toBe(1);
  expect(failures).toEqual([]);
});
