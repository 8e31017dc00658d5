/**
 * The pictures of docs/images: `npm run screenshots`. They show three real nodes with the schedule, the jobs and the day of history that lie
 * beside this file, so that pictures made again show the same at another time of day.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { locateChromium } from '../../test/support/browser/locate-chromium.mjs';
import { startShop } from './cluster.mjs';

const FOLDER = resolve(dirname(fileURLToPath(import.meta.url)), '../../docs/images');

/** All of them together: they are cloned with the repository. */
const MAX_KILOBYTES = 1_500;

const DESK = { width: 1200, height: 750 };
const PHONE = { width: 390, height: 760 };

/** In this order. `before` is done in the page as somebody would. */
const PICTURES = [
  { name: 'running', place: 'running', height: 330 },
  { name: 'overview', place: '' },
  { name: 'overview-dark', place: '', isDark: true },
  { name: 'overview-phone', place: '', size: PHONE },
  { name: 'timeline', place: 'timeline?span=10m', height: 600 },
  { name: 'timeline-nodes', place: 'timeline?span=10m&by=node', height: 430 },
  { name: 'job', place: 'jobs/billing/payments' },
  { name: 'dead-letter', place: 'dead-letters', before: openLetter },
  { name: 'trigger-editor', place: 'triggers/reports/daily/edit', before: editCron },
  { name: 'calendar', place: 'calendars/working-days' },
  { name: 'nodes', place: 'nodes', before: drain, height: 300 },
  { name: 'actions', place: 'actions', height: 300 },
];

const shop = await startShop();
const { program, environment } = locateChromium();
const browser = await chromium.launch({ executablePath: program, env: environment, args: ['--no-sandbox'] });
try {
  await steer(shop.nodes[0].url);
  await untilThereIsSomethingToSee(shop.nodes[0].url);
  mkdirSync(FOLDER, { recursive: true });
  for (const picture of PICTURES) await take(picture, shop.nodes[0].url);
  checkSize();
} finally {
  await browser.close();
  await shop.close();
}

async function take({ name, place, size = DESK, height = size.height, isDark = false, before }, url) {
  const viewport = { ...size, height };
  const colorScheme = isDark ? 'dark' : 'light';
  const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goto(new URL(`#/${place}`, url).href);
  await settled(page);
  await before?.(page);
  await settled(page);
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
  await context.close();
}

async function settled(page) {
  await page.waitForLoadState('load');
  await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' });
  await page.getByText('Loading…').waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => new Promise(requestAnimationFrame)).then(() => true)');
}

async function openLetter(page) {
  await page.getByRole('region', { name: 'Dead letters' }).getByRole('link').first().click();
  await page.getByRole('region', { name: 'Error' }).waitFor();
}

async function editCron(page) {
  const cron = page.getByRole('textbox', { name: 'cron' });
  await page.getByRole('region', { name: 'Preview' }).getByText('06:00').first().waitFor();
  await cron.fill('0 30 6 ? * MON-FRI');
  await page.getByRole('region', { name: 'Preview' }).getByText('06:30').first().waitFor();
}

async function drain(page) {
  await page
    .getByRole('row', { name: /shop-c/ })
    .getByRole('button', { name: 'Drain' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
  await page.getByRole('row', { name: /shop-c.*draining/ }).waitFor();
}

/** What somebody has done before the pictures are taken. */
async function steer(url) {
  const post = requester(url, 'POST');
  await post('/triggers/mail/newsletter/pause', { reason: 'The text is not approved yet' });
  await post('/jobs/operations/backup/fire', {});
}

/** A dead letter, two jobs that are in the middle of their work, and four minutes of which the nodes can tell. */
async function untilThereIsSomethingToSee(url) {
  const get = requester(url, 'GET');
  for (const end = Date.now() + 600_000; Date.now() < end; await wait(1_000)) {
    const [letters, firings, { load }] = await Promise.all(
      ['/dead-letters', '/firings', '/overview'].map((path) => get(path)),
    );
    const isOld = load.steps.filter(({ started }) => started > 0).length > 8;
    const inTheMiddle = firings.items.filter(({ progress }) => progress?.fraction > 0.25 && progress.fraction < 0.8);
    if (isOld && letters.items.length > 0 && inTheMiddle.length > 1) return;
  }
  throw new Error('After ten minutes there is no dead letter, or nothing runs.');
}

function requester(address, method) {
  const { origin, hash } = new URL(address);
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}`, 'content-type': 'application/json' };
  return async (path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${origin}/api/schedulers/Shop${path}`, { method, headers, ...sent });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
}

function checkSize() {
  const sizes = PICTURES.map(({ name }) => statSync(join(FOLDER, `${name}.png`)).size / 1_000);
  const kilobytes = Math.round(sizes.reduce((sum, size) => sum + size, 0));
  process.stdout.write(`${PICTURES.length} pictures, ${kilobytes} kB, in ${FOLDER}\n`);
  if (kilobytes > MAX_KILOBYTES) throw new Error(`Expected at most ${MAX_KILOBYTES} kB.`);
}
