import type { JobExecutionContext } from '../../src/api/scheduler';
import { axeFindings, closeBrowser, closeShown, overflow, type Shown, show, titled } from './harness';

afterEach(closeShown);
afterAll(closeBrowser);

const PHONE = { viewport: { width: 390, height: 800 } };

/** Axe violations, overflows and uncaught errors of routes on a phone. */
async function faultsOf({ open, page, failures }: Shown, places: readonly (readonly [string, string])[]) {
  const found: unknown[] = [];
  for (const [place, title] of places) {
    await open(place);
    await titled(page, title);
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    found.push(...(await axeFindings(page)), ...((await overflow(page)) > 0 ? [`${place} is too wide`] : []));
  }
  return [...found, ...failures];
}

test('a bulk pause lists the matching triggers first, stays after Resume all, and ends with a bulk resume', async () => {
  const shown = await show({ browser: PHONE });
  const { page, post, scheduler } = shown;
  await post('/jobs', { name: 'mail', type: 'noop', durable: true });
  for (const name of ['report-1', 'report-2', 'other'])
    await post('/triggers', { name, job: 'mail', cron: '0 0 8 * * ?' });
  await shown.open('triggers?search=report');
  await page.getByRole('group', { name: 'All matches' }).getByRole('button', { name: 'Pause' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Pause 2 triggers?' }).waitFor();
  expect(await dialog.textContent()).toContain('report-1, report-2.');
  await dialog.getByLabel('Reason').fill('The mail server moves');
  await dialog.getByRole('button', { name: 'Pause 2 triggers' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const states = async () =>
    Promise.all(['report-1', 'report-2', 'other'].map((name) => scheduler.getTriggerState(name)));
  expect(await states()).toEqual(['PAUSED', 'PAUSED', 'WAITING']);

  await shown.open('pauses');
  await page.getByRole('cell', { name: 'The mail server moves' }).first().waitFor();
  expect(await page.getByRole('cell', { name: 'anna' }).count()).toBe(2);
  await page.getByRole('button', { name: 'Resume all' }).click();
  expect(await dialog.textContent()).toContain('Pauses of single triggers, jobs and groups stay.');
  await dialog.getByRole('button', { name: 'Resume all' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await states()).toEqual(['PAUSED', 'PAUSED', 'WAITING']);

  await shown.open('triggers?search=report');
  await page.getByRole('group', { name: 'All matches' }).getByRole('button', { name: 'Resume' }).click();
  await dialog.getByRole('button', { name: 'Resume 2 triggers' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await states()).toEqual(['WAITING', 'WAITING', 'WAITING']);
  await shown.open('pauses');
  await page.getByText('No pauses with a reason').waitFor();

  await shown.open('jobs?search=mail');
  await page.getByRole('group', { name: 'All matches' }).getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove 1 job' }).click();
  await page.getByText('No matching jobs').waitFor();
  expect(await scheduler.getJobDetail('mail')).toBeNull();
  const places = ['pauses Pauses', 'overdue Overdue', 'backfills Backfills', 'triggers Triggers', 'running Running'];
  expect(
    await faultsOf(
      shown,
      places.map((each) => each.split(' ') as [string, string]),
    ),
  ).toEqual([]);
});

test('a job group is paused and resumed in its job list, after a dialog that explains the effect', async () => {
  const fails = () => Promise.reject(new Error('no answer'));
  const { page, scheduler, open } = await show({ jobs: { fails }, role: 'operator' });
  await scheduler.schedule('pay', { cron: '0 0 8 1 1 ?', group: 'billing' }, fails);
  await open('jobs');
  await page.getByRole('link', { name: 'pay' }).waitFor();
  expect(await page.getByRole('button', { name: 'Pause group' }).count()).toBe(0);
  await open('jobs?group=billing');
  await page.getByRole('button', { name: 'Pause group' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause the job group billing?' });
  await dialog.getByText('The current triggers of its jobs do not fire until the group is resumed.').waitFor();
  expect(await dialog.getByRole('checkbox', { name: /hold waiting retries/ }).isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume group' }).waitFor();
  const groups = async () => (await scheduler.listTriggers({ limit: 10 })).items.map(({ state }) => state);
  expect(await groups()).toEqual(['PAUSED']);
  await page.getByRole('button', { name: 'Resume group' }).click();
  await page.getByRole('button', { name: 'Pause group' }).waitFor();
  expect(await groups()).toEqual(['WAITING']);
});

const FILE = `
jobs:
  - name: nightly
    type: noop
    triggers: [{ name: at-night, cron: 0 0 2 * * ?, timeZone: UTC }]
`;

test('a schedule file shows its errors and its planned changes before it is applied', async () => {
  const shown = await show({ browser: PHONE });
  const { page, scheduler } = shown;
  await shown.open('schedule-file');
  const text = page.getByRole('textbox', { name: 'Text' });
  await text.fill(FILE.replace('0 0 2', '0 99 2'));
  await page.getByRole('button', { name: 'Plan changes' }).click();
  await page.getByRole('alert').getByText('Line 5, column').waitFor();
  await text.fill(FILE);
  await page.getByRole('button', { name: 'Plan changes' }).click();
  await page.getByRole('cell', { name: 'trigger at-night' }).waitFor();
  expect(await scheduler.getJobDetail('nightly')).toBeNull();
  expect(await axeFindings(page)).toEqual([]);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Applied: 2 created, 0 replaced, 0 deleted, 0 unchanged.').waitFor();
  expect(await scheduler.getTriggerState('at-night')).toBe('WAITING');
  expect(shown.failures).toEqual([]);
});

test('a dead letter gets more attempts, a backfill is dropped, and a waiting trigger shows the reason', async () => {
  const ends: string[] = [];
  const fails = async ({ attempt }: JobExecutionContext) => {
    ends.push(`attempt ${attempt}`);
    throw new Error('no answer');
  };
  const shown = await show({ jobs: { fails } });
  const { page, post, scheduler } = shown;
  await post('/jobs', { name: 'upload', type: 'fails', durable: true, retry: { max: 1, delay: 1 } });
  await post('/triggers', { name: 'daily', job: 'upload', cron: '0 0 8 1 1 ?' });
  const [from, to] = ['2020-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'];
  await post('/triggers/DEFAULT/daily/backfill', { from, to, spacing: 'PT24H' });
  await scheduler.start();
  await shown.open('dead-letters');
  await page.getByRole('button', { name: 'Add attempts' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Attempts').fill('3');
  await dialog.getByRole('button', { name: 'Add attempts' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('cell', { name: '5' }).first().waitFor();
  const patience = Date.now() + 10_000;
  while (ends.length < 5 && Date.now() < patience) await page.waitForTimeout(50); // the cell may be another one
  expect(ends).toEqual(['attempt 1', 'attempt 2', 'attempt 3', 'attempt 4', 'attempt 5']);

  await shown.open('triggers/DEFAULT/daily');
  await page.getByRole('region', { name: 'Not firing because' }).getByText('It is not due').waitFor();
  await shown.open('backfills');
  await page.getByRole('button', { name: 'Drop' }).click();
  await dialog.getByRole('button', { name: 'Drop fire times' }).click();
  await page.getByText('No backfills in progress').waitFor();
  expect(await scheduler.listBackfills()).toEqual([]);
  expect(shown.failures).toEqual([]);
});
