import type { Page } from 'playwright-core';
import { hashToken, newToken } from '../../src/base/secret-hash';
import { closeBrowser, closeShown, goTo, look, serveConsole, serveScheduler, show, titled, until } from './harness';
import { arrived, fillEverything, JOBS } from './places';

afterEach(closeShown);
afterAll(closeBrowser);

/** Labels of buttons that every role may use: they only change the view. */
const HARMLESS = /^(Check again|Copy( .*)?|Wrap|Download|Next page|First page|Show \d+|‹ \d+|\d+ ›)$/;

test('a viewer, or any user of a read-only console, sees every page but no control that changes anything', async () => {
  const admin = await serveScheduler({ jobs: JOBS });
  const places = Object.entries(await fillEverything(admin)).filter(([place]) => !/edit$|^new-|^nowhere/.test(place));
  for (const options of [{ role: 'viewer' }, { console: { readOnly: true } }] as const) {
    const { page, open, failures } = await look(await serveConsole(admin.scheduler, options));
    const main = page.getByRole('main');
    for (const [place, name] of places) {
      await open(place);
      await arrived(page, name);
      const buttons = main.getByRole('button');
      const labels = await buttons.evaluateAll((all) => all.map((each) => each.title || each.textContent));
      expect([place, labels.filter((label) => !HARMLESS.test(label ?? ''))]).toEqual([place, []]);
      expect([place, await main.getByRole('link', { name: /^(Edit|New)/ }).count()]).toEqual([place, 0]);
      expect([place, await main.getByRole('alert').count()]).toEqual([place, 0]);
    }
    expect(failures).toEqual([]);
  }
}, 120_000);

test('a valid token logs in, a wrong token does not, and a user can log out', async () => {
  const token = newToken();
  const { page, open } = await show({ console: { tokens: { ann: `operator ${hashToken(token)}` } } });
  await open('jobs');
  const secret = page.getByLabel('Token or password');
  await secret.fill('guessed');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  await secret.fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await titled(page, 'Jobs');
  await page.getByText('ann · operator').waitFor();
  expect(await page.getByRole('link', { name: 'Action log' }).count()).toBe(0);
  await page.reload();
  await page.getByText('ann · operator').waitFor();
  await page.context().clearCookies();
  await goTo(page, 'Triggers');
  await page.getByText('Your session has ended.').waitFor();
  await secret.fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await titled(page, 'Triggers');
  await page.getByRole('button', { name: 'Log out' }).click();
  await secret.waitFor();
  await page.reload();
  await secret.waitFor();
});

/** Sends the page the event of a browser that hides it behind another tab or shows it again. */
async function tell(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

test('a hidden page sends no requests, closes its event stream, and polls at once when it is visible again', async () => {
  const { page, open, scheduler } = await show({ jobs: JOBS });
  const asked: string[] = [];
  const isOpen = new Set<unknown>();
  page.on('request', (request) => {
    if (!request.url().includes('/api/')) return;
    asked.push(new URL(request.url()).pathname.split('/').at(-1) ?? '');
    isOpen.add(request);
  });
  for (const over of ['requestfinished', 'requestfailed'] as const)
    page.on(over as 'requestfailed', (request) => void isOpen.delete(request));
  await page.clock.install();
  await open('nodes');
  await page.getByRole('button', { name: 'Live' }).waitFor();
  await scheduler.start();
  await page.clock.runFor(10_000);
  await page.getByRole('cell', { name: 'alive' }).waitFor();

  await tell(page, 'hidden');
  await page.waitForFunction("document.querySelector('.live').dataset.state === 'closed'");
  await until(
    () => isOpen.size,
    (size) => size === 0,
  );
  asked.length = 0;
  await page.clock.runFor(600_000);
  expect(asked).toEqual([]);

  await tell(page, 'visible');
  await until(
    () => [...asked].sort().join(),
    (names) => names === 'events,nodes',
  );
});
