import type { Route } from 'playwright-core';
import { closeBrowser, closeShown, fileWithErrors, goTo, show, titled, until } from './harness';
import { JOBS } from './places';

/*
 * The page shows the current state: ages follow the server's clock, a paused trigger has no fire times, dropped log lines are counted, and unsaved
 * input is not lost.
 */

afterEach(closeShown);
afterAll(closeBrowser);

const HOUR = 3_600_000;

test('ages grow without new responses, by the clock of the server and not of the browser', async () => {
  const { page, open, post, scheduler, failures } = await show({ jobs: JOBS });
  await page.addInitScript(`{ const real = Date.now; Date.now = () => real() + ${HOUR}; }`);
  await post('/jobs', { name: 'pictures', type: 'endless', durable: true });
  const at = new Date(Date.now() + HOUR / 2).toISOString();
  await post('/triggers', { name: 'soon', job: 'pictures', at });
  await post('/triggers', { name: 'paused', job: 'pictures', at });
  await post('/triggers/DEFAULT/paused/pause', { reason: 'The bank moves' });
  await scheduler.start();
  await open('triggers');
  await page.getByRole('row', { name: /soon.* in (29|30)(\.\d)? min/ }).waitFor();
  await open('nodes');
  await page.getByRole('row', { name: /alive.*(now|\d+ s ago).* in \d+(\.\d)? s/ }).waitFor();
  await open('triggers/DEFAULT/paused');
  await page.locator('.notice', { hasText: /\((now|\d+ s ago)\): The bank moves/ }).waitFor();
  await post('/jobs/DEFAULT/pictures/fire', {});
  await until(
    () => scheduler.listExecutingJobs(),
    ({ length }) => length === 1,
  );
  await open('running');
  const began = page.getByRole('region', { name: 'Running jobs' }).getByRole('row').nth(1).getByRole('cell').first();
  await began.getByText(/ s ago|now/).waitFor();
  await page.getByRole('button', { name: 'Live' }).click(); // stops the updates, so that only the clock advances
  const seconds = async () => Number.parseFloat((await began.innerText()).replace('now', '0'));
  const first = await seconds();
  expect(first).toBeLessThan(60);
  await until(seconds, (now) => now >= first + 2);
  expect(failures).toEqual([]);
});

test('each overview tile links to exactly the rows that it counts, and each kind of problem has its badge', async () => {
  const { file, putIntoError } = fileWithErrors();
  const { page, open, post, scheduler } = await show({ jobs: JOBS, file });
  await post('/jobs', { name: 'transfer', type: 'noop', durable: true });
  const hourly = { job: 'transfer', every: '1h', startAt: '2099-01-01T00:00:00Z' };
  for (const name of ['one', 'two']) await post('/triggers', { name, ...hourly });
  putIntoError('one', 'two');
  await post('/jobs', { name: 'bank', type: 'failing', durable: true, retry: ['10ms'], mustSucceedWithin: '1ms' });
  await post('/jobs', { name: 'render', type: 'noop', durable: true });
  const startAt = new Date(Date.now() - 5_000).toISOString();
  for (const name of ['image', 'film']) await post('/triggers', { name, job: 'render', runsOn: 'gpu', at: startAt });
  await post('/triggers', { name: 'later', job: 'render', every: '1h', startAt: '2099-01-01T00:00:00Z' });
  await post('/jobs', { name: 'pictures', type: 'endless', durable: true });
  await scheduler.start();
  for (const name of ['bank', 'pictures']) await post(`/jobs/DEFAULT/${name}/fire`, {});
  const counts = { Running: 1, Backlog: 2, 'Dead letters': 1, 'In ERROR': 2 };
  for (const [tile, count] of Object.entries(counts)) {
    await open('');
    await page.getByRole('region', { name: tile, exact: true }).getByText(String(count), { exact: true }).waitFor();
    await page.getByRole('main').getByRole('link', { name: tile, exact: true }).click();
    const rows = page.locator('main tbody tr');
    await rows.first().waitFor();
    expect([tile, await rows.count()]).toEqual([tile, count]);
  }
  await open('');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('listitem').filter({ hasText: '2 triggers are' }).waitFor();
  await attention.getByRole('listitem').filter({ hasText: 'no run succeeded within the required time' }).waitFor();
  expect(await attention.locator('.badge').allInnerTexts()).toEqual(['error', 'error', 'overdue', 'failed', 'backlog']);
});

test('a paused trigger shows only fire times after the end of its pause, or none if the pause has no end', async () => {
  const { page, open, post, scheduler } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'backup', type: 'noop', durable: true });
  await post('/triggers', { name: 'often', job: 'backup', cron: '0/1 * * * * ?', timeZone: 'UTC' });
  await scheduler.start();
  const until = new Date(Math.ceil(Date.now() / HOUR) * HOUR + HOUR);
  await post('/triggers/DEFAULT/often/pause', { reason: 'The bank moves', until: until.toISOString() });
  const shown = until.toISOString().slice(0, 19).replace('T', ' ');
  await open('triggers/DEFAULT/often');
  const times = page.getByRole('region', { name: 'Fire times after pause' });
  expect(await times.getByRole('listitem').first().innerText()).toContain(shown);
  await open('triggers');
  await page.getByRole('cell', { name: `paused until ${shown}` }).waitFor();

  await post('/triggers/DEFAULT/often/resume', {});
  await post('/triggers/DEFAULT/often/pause', {});
  await open('triggers/DEFAULT/often');
  await page.getByText('No fire times while paused. Resume the trigger to see them.').waitFor();
  await page.getByRole('heading', { name: 'Not firing because' }).waitFor({ state: 'detached' });
  await open('jobs/DEFAULT/backup');
  await page.locator('.figure', { hasText: 'next fire time' }).getByText('paused').waitFor();
});

test('the timeline shows the state of each trigger, and the keyboard focus skips its bars', async () => {
  const { page, open, post, scheduler } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'backup', type: 'noop', durable: true, history: 'all' });
  await post('/triggers', { name: 'soon', job: 'backup', cron: '0 0 * * * ?', timeZone: 'UTC' });
  await post('/jobs', { name: 'load', type: 'noop', durable: true, history: 'all' });
  await post('/triggers', { name: 'then', job: 'load', after: 'backup' });
  // More triggers than the timeline has lanes: the run is shown although all of these fire before it.
  const busy = Array.from({ length: 60 }, (_, number) => ({ name: `busy-${number}`, job: 'backup', every: '1h' }));
  for (const each of busy) await post('/triggers', { ...each, startAt: new Date(Date.now() + HOUR).toISOString() });
  await scheduler.start();
  await post('/jobs/DEFAULT/backup/fire', {});
  await until(
    () => scheduler.listRuns({ limit: 10 }),
    ({ items }) => items.some(({ jobKey }) => jobKey.name === 'load'),
  );
  await open('timeline?span=1d');
  const table = page.getByRole('table', { name: 'Firings by trigger' });
  await table.getByRole('row', { name: /then waiting/ }).waitFor();
  const stops = "[...document.querySelectorAll('svg.chart a')].map(({ tabIndex }) => tabIndex)";
  expect(new Set(await page.evaluate<readonly number[]>(stops))).toEqual(new Set([-1]));
  await page
    .locator('svg.chart text', { hasText: /^\d\d-\d\d$/ })
    .first()
    .waitFor();
  await open('triggers?search=then');
  await page.getByRole('row', { name: /then.*waiting.*when parent jobs end/ }).waitFor();
});

test('every row action is visible on a small screen, also in a wide table', async () => {
  const { page, open, post, scheduler } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'synchronise-orders', group: 'accounting', type: 'failing', durable: true, retry: [10] });
  await scheduler.start();
  await post('/jobs/accounting/synchronise-orders/fire', {});
  await until(
    () => scheduler.listDeadLetters({ limit: 1 }),
    ({ items }) => items.length === 1,
  );
  const inSight = async (place: string, names: readonly string[]) => {
    await open(place);
    for (const [width, height] of [
      [1280, 720],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const name of names) {
        const action = page.getByRole('row').getByRole('button', { name, exact: true });
        await action.waitFor();
        const box = (await action.boundingBox()) as { readonly x: number; readonly width: number };
        expect([name, box.x + box.width <= width]).toEqual([name, true]);
      }
      const hidden = "(table => table.scrollWidth - table.clientWidth)(document.querySelector('.scroll'))";
      expect([place, await page.evaluate(hidden)]).toEqual([place, 0]); // the actions cover nothing
    }
  };
  await inSight('dead-letters', ['Rerun', 'Add attempts']);
  await inSight('nodes', ['Drain']);
  await scheduler.drain();
  await inSight('nodes', ['Undrain']);
});

test('lists of runs and nodes fit a small screen although a node has a long name', async () => {
  const instanceId = 'ip-10-3-1-12.eu-central-1.compute.internal';
  const browser = { viewport: { width: 1280, height: 720 } };
  const { page, open, post, scheduler } = await show({ jobs: JOBS, instanceId, browser });
  await post('/jobs', { name: 'synchronise-orders', group: 'accounting', type: 'failing', durable: true, retry: [10] });
  await scheduler.start();
  await post('/jobs/accounting/synchronise-orders/fire', {});
  await until(
    () => scheduler.listDeadLetters({ limit: 1 }),
    ({ items }) => items.length === 1,
  );
  for (const place of ['runs', 'dead-letters', 'nodes']) {
    await open(place);
    await page.getByText(instanceId).first().waitFor();
    const hidden = "[...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth - each.clientWidth)";
    expect([place, await page.evaluate<readonly number[]>(hidden)]).toEqual([place, [0]]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  await open('');
  await page.getByText('Show table').nth(2).waitFor();
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  const tables = "[...document.querySelectorAll('.scroll')].map((each) => each.scrollWidth - each.clientWidth)";
  expect(new Set(await page.evaluate<readonly number[]>(tables))).toEqual(new Set([0]));
});

test('a job that ignores an interrupt shows the time of the interrupt and a link to drain its node', async () => {
  let end = (): void => {};
  const deaf = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  const { page, open, post, scheduler } = await show({ jobs: { deaf } });
  await post('/jobs', { name: 'runaway', type: 'deaf', durable: true });
  await scheduler.start();
  await post('/jobs/DEFAULT/runaway/fire', {});
  await open('running');
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Interrupt' }).click();
  await page.getByText(/Interrupted now|Interrupted .* ago/).waitFor();
  await page.getByText('Still running').waitFor();
  await page.getByRole('link', { name: 'Drain node' }).waitFor();
  end();
  await page.getByText('No jobs are running.').waitFor();
});

test('the group filter suggests the groups that contain the typed text', async () => {
  const { page, open, post } = await show({ jobs: JOBS });
  for (const group of ['billing', 'billing-eu', 'mail']) {
    const job = { name: `send-${group}`, group };
    await post('/jobs', { ...job, type: 'noop', durable: true });
    await post('/triggers', { name: `daily-${group}`, group, job, every: '1d', startAt: '2099-01-01T00:00:00Z' });
  }
  for (const [place, name] of [
    ['jobs', 'send-billing'],
    ['triggers', 'daily-billing'],
  ] as const) {
    await open(place);
    await page.getByRole('textbox', { name: 'Group' }).fill('Bill');
    await page.getByRole('button', { name: 'billing-eu', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'mail', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'billing', exact: true }).click();
    await page.getByRole('row', { name }).waitFor();
    expect(await page.locator('main tbody tr').count()).toBe(1);
    expect(await page.getByRole('textbox', { name: 'Group' }).inputValue()).toBe('billing');
    await page.getByRole('button', { name: 'billing-eu', exact: true }).waitFor({ state: 'detached' });
  }
});

test('both Back and Previous page return to the previous page of a list', async () => {
  const { page, open, post } = await show({ jobs: JOBS });
  for (let number = 100; number < 160; number++)
    await post('/jobs', { name: `job-${number}`, type: 'noop', durable: true });
  await open('');
  await goTo(page, 'Jobs');
  await page.getByRole('link', { name: 'job-100' }).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('link', { name: 'job-159' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'job-100' }).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByRole('link', { name: 'job-159' }).waitFor();
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByRole('link', { name: 'job-100' }).waitFor();
  await page.goBack();
  await titled(page, 'Overview');
});

test('an editor with unsaved changes asks for a confirmation before the user leaves it', async () => {
  const { page, open, post } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'backup', type: 'noop', durable: true });
  const description = page.getByRole('textbox', { name: /description/i });
  let fieldsBefore = -1;
  const countFields = async (route: Route) => {
    await page.getByText('Loading…').waitFor();
    fieldsBefore = await page.getByRole('textbox').count();
    await route.continue();
  };
  await page.route('**/jobs/DEFAULT/backup', countFields, { times: 1 });
  await open('jobs/DEFAULT/backup/edit');
  await description.fill('Every night');
  expect(fieldsBefore).toBe(0); // a field filled in before the definition is loaded would mix both
  await goTo(page, 'Triggers');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await description.inputValue()).toBe('Every night');
  await page.goBack();
  await question.dispatchEvent('close'); // the event of the previous dialog, which browsers deliver late
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  await goTo(page, 'Triggers');
  await question.getByRole('button', { name: 'Leave' }).click();
  await titled(page, 'Triggers');

  await open('jobs/DEFAULT/backup/edit');
  await description.fill('Every night');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Every night').first().waitFor();
});

test('a run shows its result, the number of dropped log lines, and a log that can be searched, copied and saved', async () => {
  const chatty = async ({ log }: { readonly log: { info(message: string): void } }) => {
    for (let line = 0; line < 5_000; line++) log.info(`line ${line} of many`);
    return { rows: 5_000, file: 'backup.tar' };
  };
  const browser = { permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true };
  const { page, open, post, scheduler } = await show({ jobs: { chatty }, browser });
  await post('/jobs', { name: 'talk', type: 'chatty', durable: true, history: 'all' });
  await scheduler.start();
  await post('/jobs/DEFAULT/talk/fire', {});
  const { items } = await until(
    () => scheduler.listRuns({ limit: 1 }),
    ({ items: runs }) => runs.length === 1,
  );
  await open(`runs/${encodeURIComponent(items[0]?.runId ?? '')}`);
  const returned = await page.getByRole('region', { name: 'Result' }).locator('pre').innerText();
  expect(JSON.parse(returned)).toEqual({ rows: 5_000, file: 'backup.tar' });
  const lines = page.getByRole('region', { name: 'Log' });
  const kept =
    5_000 - Number((await lines.getByText(/earlier lines? not shown/).innerText()).replace(/ earlier.*|,/g, ''));
  expect(await lines.getByRole('listitem').count()).toBe(kept);
  await lines.getByRole('searchbox', { name: 'Search log' }).fill('line 4999');
  await until(
    () => lines.getByRole('listitem').count(),
    (count) => count === 1,
  );
  await lines.getByRole('button', { name: 'Copy' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/info {2}line 4999 of many$/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    lines.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^run-.*\.log$/);
});

test('an editor that a viewer opens names the required role and has no save button', async () => {
  const { page, open, scheduler } = await show({ jobs: JOBS, role: 'viewer' });
  await scheduler.schedule('noop', { every: 'PT1H' });
  for (const place of ['jobs/DEFAULT/noop/edit', 'triggers/DEFAULT/noop/edit', 'new-job', 'new-trigger']) {
    await open(place);
    await page.getByText('Editing requires the role admin. You have the role viewer.').waitFor();
    expect(await page.getByRole('button', { name: /Save|Add/ }).count()).toBe(0);
  }
});

test('the page of a missing job has the job name in its heading and its title', async () => {
  const { page, open } = await show({ jobs: JOBS });
  await open('jobs');
  await titled(page, 'Jobs');
  await open('jobs/DEFAULT/gone');
  await page.getByRole('heading', { level: 1, name: /gone/ }).waitFor();
  expect(await page.title()).toMatch(/gone/);
});
