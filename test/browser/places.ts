import type { Page } from 'playwright-core';
import type { Jobs } from '../../src/api/scheduler';
import { type Shown, titled, until } from './harness';

/** Jobs for each kind of run: one succeeds, one fails, one runs until it is interrupted. */
export const JOBS: Jobs = {
  noop: async ({ log }) => {
    log.info('18 payments matched', { open: 2 });
    return { summary: '18 of 20 matched' };
  },
  failing: async ({ log, attempt }) => {
    log.warn(`the bank answers slowly, attempt ${attempt}`);
    throw new Error('The bank did not take the request', { cause: new Error('connect ETIMEDOUT') });
  },
  endless: async ({ signal, progress, log }) => {
    log.info('begins with the newest pictures');
    signal.addEventListener('abort', () => log.warn('stops where it is'));
    progress(0.4, '400 of 1,000 pictures');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
};

/** Stores an example of each kind, so that no page is empty, and starts the scheduler. Some runs have ended, one continues. */
export async function fillEverything({ scheduler, post }: Pick<Shown, 'scheduler' | 'post'>): Promise<Places> {
  await post('/calendars', { name: 'holidays', type: 'annual', excludedDays: ['12-25', '12-26'], timeZone: 'UTC' });
  const data = { bucket: 'copies', apiToken: 'hunter2' };
  await post('/jobs', { name: 'backup', group: 'nightly', type: 'noop', durable: true, history: 'all', data });
  await post('/jobs', { name: 'bank', type: 'failing', durable: true, retry: ['10ms'] });
  await post('/jobs', { name: 'pictures', type: 'endless', durable: true });
  const job = { name: 'backup', group: 'nightly' };
  const cron = { cron: '0 30 2 ? * MON-FRI', timeZone: 'Europe/Berlin', calendar: 'holidays' };
  await post('/triggers', { name: 'at-night', job, ...cron });
  await post('/triggers', { name: 'mornings', job: 'bank', cron: '0 0 8 * * ?', timeZone: 'UTC' });
  await post('/triggers/DEFAULT/mornings/pause', { reason: 'The bank moves' });
  await scheduler.start();
  await post('/jobs/nightly/backup/fire', {});
  await post('/jobs/DEFAULT/bank/fire', {});
  await post('/jobs/DEFAULT/pictures/fire', {});
  const { items } = await until(
    () => scheduler.listRuns({ limit: 10 }),
    ({ items: runs }) => runs.length >= 3 && runs.some(({ isDeadLetter }) => isDeadLetter),
  );
  const [executing] = await until(
    () => scheduler.listExecutingJobs(),
    ({ length }) => length > 0,
  );
  return placesOf(items.find(({ isDeadLetter }) => isDeadLetter)?.runId ?? '', executing?.runId ?? '');
}

/** The heading of each route. */
export type Places = Readonly<Record<string, string>>;

function placesOf(endedId: string, runningId: string): Places {
  return {
    '': 'Overview',
    timeline: 'Timeline',
    'timeline?by=node&span=10m': 'Timeline',
    jobs: 'Jobs',
    'jobs/nightly/backup': 'nightly/backup',
    'jobs/nightly/backup/edit': 'Edit nightly/backup',
    'new-job': 'New job',
    triggers: 'Triggers',
    'triggers/DEFAULT/mornings': 'mornings',
    'triggers/nightly/at-night/edit': 'Edit nightly/at-night',
    'new-trigger?job=bank': 'New trigger',
    calendars: 'Calendars',
    'calendars/holidays': 'holidays',
    'calendars/holidays/edit': 'Edit holidays',
    running: 'Running',
    [`running/${encodeURIComponent(runningId)}`]: 'pictures',
    runs: 'Runs',
    [`runs/${encodeURIComponent(endedId)}`]: 'bank',
    'dead-letters': 'Dead letters',
    nodes: 'Nodes',
    doctor: 'Doctor',
    actions: 'Action log',
    nowhere: 'Not found',
  };
}

/** Waits until a route shows its heading and its data. */
export async function arrived(page: Page, name: string): Promise<void> {
  await titled(page, name);
  await page.waitForFunction("document.querySelector('main [aria-busy=true]') === null");
}
