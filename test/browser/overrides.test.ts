import { closeBrowser, closeShown, goTo, show, titled } from './harness';

/*
 * A trigger that a file declares is edited on the page. The page shows both values and the author wherever the trigger appears, until the override
 * is dropped.
 */

afterEach(closeShown);
afterAll(closeBrowser);

const FILE = `
set: nightly
jobs:
  - { name: report, type: noop, triggers: [{ name: daily, cron: '0 0 6 * * ?', timeZone: UTC, description: The report }] }
`;

test('an override of a declared trigger shows both values and its author, and one action drops it', async () => {
  const { page, open, post, scheduler, failures } = await show();
  await post('/schedule/apply', { text: FILE, file: 'plan.yaml' });
  await open('triggers/DEFAULT/daily/edit');
  await page.getByRole('note').getByText('Declared in plan.yaml').waitFor();
  await page.getByRole('textbox', { name: 'cron' }).fill('0 30 7 * * ?');
  await page.getByRole('button', { name: 'Save' }).click();
  await titled(page, 'daily');
  const override = page.getByRole('region', { name: 'Override' });
  const day = '[A-Z][a-z]{2} \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
  const both = new RegExp(`schedule: 0 0 6 \\* \\* \\? in plan\\.yaml, 0 30 7 \\* \\* \\? since ${day} by anna`);
  await override.getByText(both).waitFor();

  await goTo(page, 'Triggers');
  await page
    .getByRole('row', { name: /daily.*0 30 7 \* \* \?/ })
    .getByRole('link', { name: 'overridden' })
    .click();
  await titled(page, 'Overrides');
  await page
    .getByRole('row', { name: 'daily' })
    .getByText(new RegExp(`0 0 6 \\* \\* \\? in plan\\.yaml, edited since ${day} by anna`))
    .waitFor();
  await page.getByRole('button', { name: 'Drop override' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop override' }).click();
  await page.getByText('No overrides.').waitFor();
  expect(await scheduler.getTrigger('daily')).toMatchObject({ cronExpression: '0 0 6 * * ?' });
  await open('triggers/DEFAULT/daily');
  await page.getByRole('region', { name: 'Origin' }).getByText('Declared in plan.yaml').waitFor();
  expect(await page.getByRole('region', { name: 'Override' }).count()).toBe(0);
  expect(failures).toEqual([]);
});
