import { resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import type { ConsoleOptions } from '../../src/console/console-options';
import type { Role } from '../../src/operations/role';
import { closeAll, everybodyIs, serve, testConsole, testScheduler } from '../console/support';

/*
 * The page as its users meet it: a scheduler on SQLite, its console on a port of this machine, and a real Chromium. The page is the one that
 * `npm run build` has made.
 */

let browser: Promise<Browser> | null = null;

/** The browser that the set-up of these tests has found. */
function launch(): Promise<Browser> {
  const { program, environment } = JSON.parse(process.env.QUARTZ_TEST_CHROMIUM as string);
  return chromium.launch({ executablePath: program, env: environment, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Call it in `afterAll`. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}

export interface ShownOptions {
  readonly jobs?: Jobs;
  readonly role?: Role;
  readonly console?: ConsoleOptions;
  readonly browser?: BrowserContextOptions;
}

export interface Shown {
  readonly scheduler: Scheduler;
  readonly page: Page;
  /** What went wrong in the page without anybody seeing it. */
  readonly failures: readonly string[];
  /** Goes to a place such as `jobs/DEFAULT/mail`. */
  readonly open: (place: string) => Promise<void>;
  /** Runs an operation as a program does over HTTP. */
  readonly post: (path: string, body: unknown) => Promise<unknown>;
}

/** A scheduler that is not started, its console, and a browser that looks at it. Times are shown in UTC. */
export async function show({ jobs = {}, role = 'admin', ...options }: ShownOptions = {}): Promise<Shown> {
  const scheduler = await testScheduler({ store: 'sqlite', jobs });
  const pageFolder = resolve(__dirname, '../../dist/console');
  const shown = testConsole(scheduler, { auth: everybodyIs(role, 'anna'), ...options.console }, { pageFolder });
  const { url } = await serve(shown.listener);
  browser ??= launch();
  const size = { width: 1280, height: 800 };
  // Axe is put into the page by the test: what the page itself may load, test/console proves.
  const settings = { viewport: size, timezoneId: 'UTC', bypassCSP: true, ...options.browser };
  const context = await (await browser).newContext(settings);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const failures: string[] = [];
  page.on('pageerror', ({ message }) => failures.push(message));
  return {
    scheduler,
    page,
    failures,
    open: async (place) => void (await page.goto(`${url}/#/${place}`)),
    async post(path, body) {
      const response = await fetch(`${url}/api/schedulers/Reports${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
  };
}

/** Closes what `show` opened but the browser. Call it in `afterEach`. */
export async function closeShown(): Promise<void> {
  for (const context of (await browser)?.contexts() ?? []) await context.close();
  await closeAll();
}

/** What axe finds wrong in the page as it is now, one line for each. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const { source } = require('axe-core') as { readonly source: string };
  await page.evaluate(source);
  const script =
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))";
  return page.evaluate<readonly string[]>(script);
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
