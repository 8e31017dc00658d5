import { createScheduler } from '../../src/index';
import {
  createDatabase,
  describeOnOneServer,
  type PrivateServer,
  startServer,
} from '../support/database/test-database';
import { closeBrowser, closeShown, goTo, type Looked, look, serveConsole, titled } from './harness';

/*
 * The database becomes unavailable while a page is open: the page shows the outage, shows nothing as alive or live, and recovers without a reload.
 */

afterAll(closeBrowser);

describeOnOneServer('the page during a database outage', () => {
  let server: PrivateServer;
  let shown: Looked;
  let end: () => Promise<void> = async () => {};

  beforeAll(async () => {
    server = await startServer();
    const database = await createDatabase(server);
    const scheduler = await createScheduler(
      {
        scheduler: { instanceName: 'Reports', instanceId: 'node-a', logLevel: 'silent' },
        jobStore: { class: 'mysql', dataSource: 'db', schema: 'create', storeThread: false },
        dataSource: { db: { URL: database.url } },
      },
      { jobs: { noop: async () => {} } },
    );
    await scheduler.start();
    await scheduler.schedule('noop', { every: 'PT1S' });
    shown = await look(await serveConsole(scheduler));
    end = () => scheduler.shutdown();
  });

  afterAll(async () => {
    await closeShown();
    await end();
    await server.stop();
  });

  const OUTAGES = [
    ['is killed and restarted', () => server.kill(), () => server.restart()],
    ['hangs and resumes', () => server.pause(), () => server.resume()],
  ] as const;

  test.each(
    OUTAGES,
  )('shows an alert on Overview and Nodes while the server %s, and recovers by itself', async (_, go, back) => {
    const { page, open, failures } = shown;
    await open('');
    await page
      .getByRole('region', { name: 'Nodes' })
      .getByRole('row', { name: /node-a.*alive/ })
      .waitFor();
    const bar = page.getByRole('alert').filter({ hasText: /No answer from the database since \d\d:\d\d:\d\d/ });
    await go();
    await bar.waitFor();
    await page.getByRole('button', { name: 'No answer' }).waitFor();
    const isDimmed = "Number(getComputedStyle(document.querySelector('main > .strip')).opacity) < 1";
    expect(await page.evaluate(isDimmed)).toBe(true);
    expect(await page.locator('.badge.good').count()).toBe(0);
    await goTo(page, 'Nodes');
    await titled(page, 'Nodes');
    await bar.waitFor();
    expect(await page.locator('.badge.good').count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(1);
    await back();
    await page.getByRole('row', { name: /node-a.*alive/ }).waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Live' }).waitFor();
    expect(failures).toEqual([]);
  });
});
