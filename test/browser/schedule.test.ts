import { toJobBuilder } from '../../src/api/builders/job-builder';
import type { JobExecutionContext } from '../../src/api/scheduler';
import type { JobDetail } from '../../src/domain/job-detail';
import { closeBrowser, closeShown, type Shown, show, titled } from './harness';

afterEach(closeShown);
afterAll(closeBrowser);

/** Stores two jobs with a trigger each, one of them paused with a reason, and a calendar. */
async function fill({ post }: Shown): Promise<void> {
  const data = { bucket: 'copies', apiToken: 'hunter2' };
  await post('/jobs', { name: 'backup', group: 'nightly', type: 'noop', durable: true, history: 'all', data });
  await post('/jobs', { name: 'mail', type: 'noop', durable: true, history: 'all' });
  const job = { name: 'backup', group: 'nightly' };
  await post('/triggers', { name: 'at-night', job, cron: '0 30 2 ? * MON-FRI', timeZone: 'Europe/Berlin' });
  await post('/triggers', { name: 'mornings', job: 'mail', cron: '0 0 8 * * ?', timeZone: 'UTC' });
  await post('/triggers/DEFAULT/mornings/pause', { reason: 'The mail server moves' });
  await post('/calendars', { name: 'holidays', type: 'annual', excludedDays: ['12-25', '12-26'], timeZone: 'UTC' });
}

describe('jobs', () => {
  test('are searched with the keyboard, shown with secrets masked, and fired with data', async () => {
    const given: unknown[] = [];
    const noop = async ({ data }: JobExecutionContext) => void given.push(data);
    const shown = await show({ jobs: { noop } });
    await fill(shown);
    await shown.scheduler.start();
    const { page } = shown;
    await shown.open('jobs');
    await page.getByRole('link', { name: 'mail' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('back');
    await page.getByRole('link', { name: 'mail' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('search=back');
    await page.getByRole('link', { name: 'nightly/backup' }).click();
    await titled(page, 'nightly/backup');
    await page.waitForFunction("document.activeElement.textContent === 'Jobs / nightly/backup'");
    const definition = page.getByRole('region', { name: 'Definition' });
    expect(await definition.textContent()).toContain('"apiToken": "***"');
    expect(await page.content()).not.toContain('hunter2');

    await page.getByRole('button', { name: 'Fire now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Run data').fill('{ "bucket"');
    await dialog.getByRole('button', { name: 'Fire now' }).click();
    await dialog.getByRole('alert').getByText('expected JSON').waitFor();
    await dialog.getByLabel('Run data').fill('{ "bucket": "others" }');
    await dialog.getByRole('button', { name: 'Fire now' }).click();
    await page.getByRole('region', { name: 'Runs' }).getByRole('cell', { name: 'succeeded' }).waitFor();
    expect(given).toEqual([expect.objectContaining({ bucket: 'others' })]);
    expect(shown.failures).toEqual([]);
  });

  test('are paused with a reason that their triggers show, resumed, and removed after a confirmation', async () => {
    const shown = await show();
    await fill(shown);
    const { page, scheduler } = shown;
    await shown.open('jobs/nightly/backup');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Disks are changed');
    await page.getByRole('dialog').getByLabel('Until').fill('2099-01-01T08:00');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('link', { name: 'nightly/at-night' }).click();
    await page.getByText('Disks are changed').waitFor();
    const notice = await page.locator('.notice').textContent();
    expect(notice).toMatch(
      /^Its job nightly\/backup is paused by anna \(.*\): Disks are changed – until 2099-01-01 08:00:00$/,
    );
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await scheduler.getTriggerState({ name: 'at-night', group: 'nightly' })).toBe('WAITING');

    await shown.open('jobs/nightly/backup');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove job' }).click();
    await titled(page, 'Jobs');
    expect(await scheduler.getJobDetail({ name: 'backup', group: 'nightly' })).toBeNull();
    expect(shown.failures).toEqual([]);
  });

  test('changed by someone else during an edit are shown with both values before they are saved', async () => {
    const shown = await show();
    await fill(shown);
    const { page, scheduler } = shown;
    await shown.open('jobs/DEFAULT/mail/edit');
    const description = page.getByRole('textbox', { name: 'description' });
    await page.waitForFunction("document.querySelector('#field-type')?.value === 'noop'");
    await description.fill('Mine');
    const job = (await scheduler.getJobDetail('mail')) as JobDetail;
    await scheduler.addJob(toJobBuilder(job).withDescription('Theirs').build(), { replace: true });
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByRole('cell', { name: 'Theirs' }).waitFor();
    await conflict.getByRole('cell', { name: 'Mine' }).waitFor();
    await conflict.getByRole('button', { name: 'Reload' }).click();
    await conflict.waitFor({ state: 'detached' });
    expect(await description.inputValue()).toBe('Theirs');
    await description.fill('Ours');
    await page.getByRole('button', { name: 'Save' }).click();
    await titled(page, 'mail');
    expect((await scheduler.getJobDetail('mail'))?.description).toBe('Ours');
    expect(shown.failures).toEqual([]);
  });
});

test('the trigger form previews the schedule, shows an error next to its field, and stores and edits the trigger', async () => {
  const shown = await show();
  await fill(shown);
  const { page, scheduler } = shown;
  await shown.open('new-trigger?job=mail');
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('weekly');
  const cron = page.getByRole('textbox', { name: 'cron' });
  await cron.fill('0 61 8 ? * MON');
  await page.locator('small.wrong', { hasText: 'minute (character 3): 61 is out of range; expected 0-59' }).waitFor();
  await page.getByRole('button', { name: 'Add trigger' }).click();
  await page.getByText('Not saved').waitFor();
  expect(await scheduler.getTrigger('weekly')).toBeNull();
  expect(await cron.getAttribute('aria-invalid')).toBe('true');
  await cron.fill('0 30 8 ? * MON');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('08:30').first().waitFor();
  await preview.getByText('No time zone given.').waitFor();
  await page.getByRole('textbox', { name: 'timeZone' }).fill('Europe/Berlin');
  await preview.getByText('in Europe/Berlin').waitFor();
  expect(await preview.getByRole('listitem').count()).toBe(10);
  await page.getByRole('button', { name: 'Add trigger' }).click();
  await titled(page, 'weekly');

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('radio', { name: 'Interval', exact: true }).check();
  await page.getByRole('textbox', { name: 'every' }).fill('PT20M');
  await preview.getByText('every 20 min').waitFor();
  await page.getByRole('textbox', { name: 'timeZone' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await titled(page, 'weekly');
  expect(await scheduler.getTrigger('weekly')).toMatchObject({ kind: 'SIMPLE', repeatInterval: 1_200_000 });

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('radio', { name: 'Once' }).check();
  expect(await page.getByRole('textbox', { name: 'startAt' }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'at', exact: true }).fill('2099-01-31T08:00Z');
  await preview.getByText('2099-01-31').first().waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await titled(page, 'weekly');
  const startTime = new Date('2099-01-31T08:00Z');
  expect(await scheduler.getTrigger('weekly')).toMatchObject({ kind: 'SIMPLE', repeatCount: 0, startTime });
  expect(shown.failures).toEqual([]);
});

test('a calendar is added and edited, and its year view marks the excluded days', async () => {
  const shown = await show();
  const { page } = shown;
  await shown.open('new-calendar');
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('feasts');
  await page.getByRole('textbox', { name: 'excludedDays' }).fill('13-45');
  await page.getByRole('button', { name: 'Add calendar' }).click();
  await page.getByText('Not saved').waitFor();
  expect(await page.locator('small.wrong').count()).toBe(1);
  await page.getByRole('textbox', { name: 'excludedDays' }).fill('12-25, 05-01');
  await page.getByRole('button', { name: 'Add calendar' }).click();
  await page.getByRole('table', { name: 'December' }).getByRole('cell', { name: '25 excluded' }).waitFor();
  expect(await page.getByRole('cell', { name: 'excluded' }).count()).toBe(2);
  const year = new Date().getUTCFullYear();
  await page.getByRole('button', { name: `Show ${year + 1}` }).click();
  await page.getByRole('heading', { level: 2, name: `${year + 1}` }).waitFor();
  expect(page.url()).toContain(`year=${year + 1}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.waitForFunction("document.querySelector('#field-excludedDays')?.value === '05-01, 12-25'");
  await page.getByRole('textbox', { name: 'excludedDays' }).fill('05-01, 10-03, 12-25');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('table', { name: 'October' }).getByRole('cell', { name: '3 excluded' }).waitFor();
  expect(await page.getByRole('cell', { name: 'excluded' }).count()).toBe(3);
  expect(shown.failures).toEqual([]);
});
