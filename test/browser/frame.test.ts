import { closeBrowser, closeShown, show, titled } from './harness';

afterEach(closeShown);
afterAll(closeBrowser);

test('the chosen time zone and theme apply to the page and survive a reload', async () => {
  const shown = await show();
  const { page } = shown;
  await shown.post('/jobs', { name: 'backup', type: 'noop', durable: true });
  await shown.post('/triggers', { name: 'at-night', job: 'backup', cron: '0 30 2 * * ?', timeZone: 'Europe/Berlin' });
  await shown.open('triggers/DEFAULT/at-night');
  const next = page.getByRole('region', { name: 'Next fire times' }).getByRole('listitem').first();
  const inUtc = await next.textContent();
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin');
  await next.getByText(' 02:30:00').waitFor();
  const reasons = page.getByRole('region', { name: 'Not firing because' });
  expect(await reasons.innerText()).toMatch(/Its next fire time is \d{4}-\d\d-\d\d 02:30:00\b/);
  expect(inUtc).not.toContain(' 02:30:00');
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('dark');
  const paper = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const dark = await paper();
  await page.reload();
  await next.getByText(' 02:30:00').waitFor();
  expect(await paper()).toBe(dark);
  await page.getByRole('combobox', { name: 'Theme' }).selectOption('light');
  expect(await paper()).not.toBe(dark);
});

test('the menu of a phone closes after the user has chosen a page', async () => {
  const shown = await show({ browser: { viewport: { width: 390, height: 844 }, hasTouch: true } });
  const { page } = shown;
  await shown.open('jobs');
  const menu = page.getByRole('button', { name: 'Menu' });
  const places = page.getByRole('navigation', { name: 'Main' });
  await places.waitFor({ state: 'hidden' });
  await menu.tap();
  await places.getByRole('link', { name: 'Triggers' }).tap();
  await titled(page, 'Triggers');
  await places.waitFor({ state: 'hidden' });
  expect(await menu.getAttribute('aria-expanded')).toBe('false');
});

test('keyboard shortcuts open pages, and ? lists them', async () => {
  const shown = await show();
  const { page } = shown;
  await shown.open('jobs');
  await titled(page, 'Jobs');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await titled(page, 'Triggers');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await titled(page, 'Calendars');
});
