import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import { systemRandom } from '../../src/base/ids';
import type { ConsoleOptions } from '../../src/console/console-options';
import type { Role } from '../../src/operations/role';
import { closeAll, everybodyIs, serve, testConsole, testScheduler } from '../console/support';
import { DatabaseSync } from '../support/sqlite';

export { until } from '../support/until';

/*
 * A real environment for the page: a scheduler on SQLite, its console on a local port, and a real Chromium. The page is the output of
 * `npm run build`.
 */

let browser: Promise<Browser> | null = null;

/** Launches the browser that the global setup has found. */
function launch(): Promise<Browser> {
  const { program, environment } = JSON.parse(process.env.QUARTZ_TEST_CHROMIUM as string);
  return chromium.launch({ executablePath: program, env: environment, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Closes the browser. Call it in `afterAll`. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}

/** A served console. */
export interface Served {
  readonly url: string;
  /** Posts an operation over HTTP. */
  readonly post: (path: string, body: unknown) => Promise<unknown>;
}

/** A browser page on a console. */
export interface Looked {
  readonly page: Page;
  /** Uncaught errors of the page. */
  readonly failures: readonly string[];
  /** Opens a route such as `jobs/DEFAULT/mail`. */
  readonly open: (place: string) => Promise<void>;
}

export interface Shown extends Served, Looked {
  readonly scheduler: Scheduler;
}

export interface ShownOptions {
  readonly jobs?: Jobs;
  readonly instanceId?: string;
  /** File of the scheduler's database. */
  readonly file?: string;
  readonly role?: Role;
  readonly console?: ConsoleOptions;
  readonly browser?: BrowserContextOptions;
}

/** File of a database for a test, and a function that puts triggers into ERROR, as a Java node does if it cannot create their job. */
export function fileWithErrors(): { readonly file: string; readonly putIntoError: (...triggers: string[]) => void } {
  const file = join(tmpdir(), `quartz-ts-browser-${systemRandom.token(12)}.db`);
  return {
    file,
    putIntoError(...triggers) {
      const database = new DatabaseSync(file);
      const change = database.prepare("UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'ERROR' WHERE TRIGGER_NAME = ?");
      for (const name of triggers) change.run(name);
      database.close();
    },
  };
}

/** A scheduler that is not started, its console, and a browser page on it. Times are shown in UTC. */
export async function show({ browser: settings, ...options }: ShownOptions = {}): Promise<Shown> {
  const { scheduler, ...served } = await serveScheduler(options);
  return { scheduler, ...served, ...(await look(served, settings)) };
}

/** A scheduler that is not started, and its console. */
export async function serveScheduler({
  jobs = {},
  instanceId,
  file,
  ...options
}: Omit<ShownOptions, 'browser'> = {}): Promise<Served & Pick<Shown, 'scheduler'>> {
  const given = { ...(instanceId !== undefined && { instanceId }), ...(file !== undefined && { file }) };
  const scheduler = await testScheduler({ store: 'sqlite', jobs, ...given });
  return { scheduler, ...(await serveConsole(scheduler, options)) };
}

/** A console of a scheduler. Every user is logged in as `anna`, unless the options have tokens. */
export async function serveConsole(
  scheduler: Scheduler,
  { role = 'admin', console = {} }: Pick<ShownOptions, 'role' | 'console'> = {},
): Promise<Served> {
  const pageFolder = resolve(__dirname, '../../dist/console');
  const auth = console.tokens === undefined ? { auth: everybodyIs(role, 'anna') } : { auth: undefined };
  const shown = testConsole(scheduler, { ...auth, ...console } as ConsoleOptions, { pageFolder });
  const { url } = await serve(shown.listener);
  return {
    url,
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

/** A page of a new, empty browser context on a console. */
export async function look({ url }: Pick<Served, 'url'>, settings: BrowserContextOptions = {}): Promise<Looked> {
  browser ??= launch();
  const size = { width: 1280, height: 800 };
  // The test injects axe, so it bypasses the content security policy, which test/console checks.
  const context = await (await browser).newContext({
    viewport: size,
    timezoneId: 'UTC',
    bypassCSP: true,
    ...settings,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const failures: string[] = [];
  page.on('pageerror', ({ message }) => failures.push(message));
  return { page, failures, open: async (place) => void (await page.goto(`${url}/#/${place}`)) };
}

/** Closes everything that `show`, `serveScheduler` and `look` opened, except the browser. Call it in `afterEach` or `afterAll`. */
export async function closeShown(): Promise<void> {
  for (const context of (await browser)?.contexts() ?? []) await context.close();
  await closeAll();
}

/** Opens a page with its link in the main navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

/** Waits until the heading is that title, alone or after its breadcrumbs. `Edit mail` is not `mail`. */
export async function titled(page: Page, title: string): Promise<void> {
  const name = new RegExp(`(^|/ )${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Violations that axe finds in the current page, one line for each. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const { source } = require('axe-core') as { readonly source: string };
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const script =
    "axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))";
  return page.evaluate<readonly string[]>(script);
}

/** Number of pixels by which the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
