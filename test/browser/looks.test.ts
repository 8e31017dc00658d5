import type { BrowserContextOptions } from 'playwright-core';
import { axeFindings, closeBrowser, closeShown, look, overflow, type Served, serveScheduler } from './harness';
import { arrived, fillEverything, JOBS, type Places } from './places';

/*
 * Every place of the page, in each of its looks: nothing is wider than the screen, axe finds nothing, and nothing fails unseen. The short form
 * looks at a desk in the light and a phone in the dark; the long form, `npm run test:browser`, at all four.
 */

/** Targets in rows that are lower than a finger needs. The font of the machine must not decide, so axe, which accepts wide gaps, is not enough. */
const LOW_TARGETS = `[...document.querySelectorAll(':is(td, dd) :is(a[href], button)')]
  .filter((each) => { const { height } = each.getBoundingClientRect(); return height > 0 && height < 24; })
  .map(({ outerHTML }) => outerHTML)`;

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  'on a desk': { viewport: DESK, colorScheme: 'light' },
  'on a phone, in the dark': { viewport: PHONE, colorScheme: 'dark' },
  ...(process.env.BROWSER === 'all' && {
    'on a phone': { viewport: PHONE, colorScheme: 'light' },
    'on a desk, in the dark': { viewport: DESK, colorScheme: 'dark' },
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
  'every place %s',
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
