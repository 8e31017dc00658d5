import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Jobs, Scheduler } from '../../src/api/scheduler';
import { systemRandom } from '../../src/base/ids';
import type { ConsoleOptions } from '../../src/console/console-options';
import type { Role } from '../../src/operations/role';
import { closeAll, everybodyIs, serve, testConsole, testScheduler } from '../console/support';

export { until } from '../support/until';

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

/** A console to be looked at. */
export interface Served {
  readonly url: string;
  /** Runs an operation as a program does over HTTP. */
  readonly post: (path: string, body: unknown) => Promise<unknown>;
}

/** A page of it. */
export interface Looked {
  readonly page: Page;
  /** What went wrong in the page without anybody seeing it. */
  readonly failures: readonly string[];
  /** Goes to a place such as `jobs/DEFAULT/mail`. */
  readonly open: (place: string) => Promise<void>;
}

export interface Shown extends Served, Looked {
  readonly scheduler: Scheduler;
}

export interface ShownOptions {
  readonly jobs?: Jobs;
  readonly instanceId?: string;
  /** File of its database. */
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

/** A scheduler that is not started, its console, and a browser that looks at it. Times are shown in UTC. */
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

/** A console of a scheduler, which lets everybody in as `anna`, unless the options have tokens. */
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

/** A browser of its own, with nothing in it, that looks at a console. */
export async function look({ url }: Pick<Served, 'url'>, settings: BrowserContextOptions = {}): Promise<Looked> {
  browser ??= launch();
  const size = { width: 1280, height: 800 };
  // Axe is put into the page by the test: what the page itself may load, test/console proves.
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

/** Closes what `show`, `serveScheduler` and `look` opened but the browser. Call it in `afterEach` or `afterAll`. */
export async function closeShown(): Promise<void> {
  for (const context of (await browser)?.contexts() ?? []) await context.close();
  await closeAll();
}

/** Goes to a place by the rail. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

/** Waits until the heading is that title, alone or after its breadcrumbs. `Edit mail` is not `mail`. */
export async function titled(page: Page, title: string): Promise<void> {
  const name = new RegExp(`(^|/ )${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** What axe finds wrong in the page as it is now, one line for each. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const { source } = require('axe-core') as { readonly source: string };
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const script =
    "axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))";
  return page.evaluate<readonly string[]>(script);
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}
