import type { BrowserContextOptions } from 'playwright-core';
import { axeFindings, closeBrowser, closeShown, look, overflow, type Served, serveScheduler } from './harness';
import { arrived, fillEverything, JOBS, type Places } from './places';

/*
 * Every route of the page, in each size and theme: nothing is wider than the screen, axe finds no violation, and no error is uncaught. The short
 * form uses a desktop in light mode and a phone in dark mode; the long form, `npm run test:browser`, uses all four.
 */

/** Links and buttons in rows that are too low for a finger. Axe is not enough: it accepts wide gaps, which depend on the machine's font. */
const LOW_TARGETS = `[...document.querySelectorAll(':is(td, dd) :is(a[href], button)')]
  .filter((each) => { const { height } = each.getBoundingClientRect(); return height > 0 && height < 24; })
  .map(({ outerHTML }) => outerHTML)`;

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  'on a desktop': { viewport: DESK, colorScheme: 'light' },
  'on a phone in dark mode': { viewport: PHONE, colorScheme: 'dark' },
  ...(process.env.BROWSER === 'all' && {
    'on a phone': { viewport: PHONE, colorScheme: 'light' },
    'on a desktop in dark mode': { viewport: DESK, colorScheme: 'dark' },
  }),
};

let served: Served;
let places: Places;

beforeAll(async () => {
  const started = await serveScheduler({ jobs: JOBS });
  places = await fillEverything(started);
  served = started;
});
afterAll(async () => {
  await closeShown();
  await closeBrowser();
});

test.each(Object.entries(LOOKS))(
  'every page fits the screen and passes axe %s',
  async (_, settings) => {
    const { page, open, failures } = await look(served, settings);
    const found: unknown[] = [];
    for (const [place, name] of Object.entries(places)) {
      await open(place);
      await arrived(page, name);
      const low = settings.viewport === PHONE ? await page.evaluate<readonly string[]>(LOW_TARGETS) : [];
      found.push([place, await overflow(page), [...(await axeFindings(page)), ...low]]);
    }
    expect(found).toEqual(Object.keys(places).map((place) => [place, 0, []]));
    expect(await page.content()).not.toContain('hunter2');
    expect(failures).toEqual([]);
  },
  180_000,
);
