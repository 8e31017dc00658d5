import type { JobExecutionContext } from '../../src/api/scheduler';
import { closeBrowser, closeShown, fileWithErrors, goTo, show, titled, until } from './harness';
import { JOBS } from './places';

afterEach(closeShown);
afterAll(closeBrowser);

test('a failed run is found, diagnosed and rerun with the mouse alone', async () => {
  let isMended = false;
  const failing = async (context: JobExecutionContext) => {
    if (!isMended) return (JOBS.failing as (given: JobExecutionContext) => Promise<unknown>)(context);
    context.log.info('the bank answers again');
    return { summary: '18 of 20 matched' };
  };
  const { page, open, post, scheduler, failures } = await show({ jobs: { failing } });
  await post('/jobs', {
    name: 'bank',
    group: 'billing',
    type: 'failing',
    durable: true,
    retry: ['10ms'],
    history: 'all',
  });
  await scheduler.start();
  await open('');
  await page.getByText('Nothing needs attention.').waitFor();
  await post('/jobs/billing/bank/fire', { data: { month: '2026-10' } });

  await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: '1 dead letter' }).click();
  const letters = page.getByRole('region', { name: 'Dead letters' });
  await letters.getByRole('cell', { name: 'The bank did not take the request' }).waitFor();
  await letters.getByRole('row').nth(1).getByRole('link').first().click();

  await titled(page, 'billing/bank');
  const stack = page.getByRole('region', { name: 'Error' });
  await stack.getByText(/^Error: The bank did not take the request\n\s+at .*places\.ts/).waitFor();
  await stack.getByText('connect ETIMEDOUT').waitFor();
  const lines = page.getByRole('region', { name: 'Log' });
  await lines.getByText('the bank answers slowly, attempt 2').waitFor();
  const attempts = page.getByRole('region', { name: 'Attempts' });
  expect(await attempts.getByRole('cell', { name: 'failed' }).count()).toBe(2);

  isMended = true;
  await page.getByRole('button', { name: 'Rerun' }).click();
  await page.getByRole('dialog', { name: 'Rerun billing/bank?' }).getByRole('button', { name: 'Rerun' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Rerun' }).waitFor({ state: 'detached' });
  await goTo(page, 'Runs');
  await page.getByRole('cell', { name: '18 of 20 matched' }).waitFor();
  await goTo(page, 'Overview');
  await page.getByText('Nothing needs attention.').waitFor();
  await goTo(page, 'Action log');
  const actions = page.getByRole('region', { name: 'Actions' });
  await actions.getByRole('cell', { name: 'Rerun' }).waitFor();
  expect(await actions.getByRole('cell', { name: 'anna' }).count()).toBeGreaterThan(0);
  expect(failures).toEqual([]);
});

test('a running job shows its progress and log, has a run id to copy, and can be interrupted', async () => {
  const browser = { permissions: ['clipboard-read', 'clipboard-write'] };
  const { page, open, post, scheduler, failures } = await show({ jobs: JOBS, browser });
  await post('/jobs', { name: 'pictures', type: 'endless', durable: true });
  await scheduler.start();
  await open('running');
  await page.getByText('No jobs are running.').waitFor();
  await post('/jobs/DEFAULT/pictures/fire', {});
  await page.getByRole('progressbar', { name: '40 % done' }).waitFor();
  await page.getByText('400 of 1,000 pictures').waitFor();
  await page.getByTitle(/^Copy /).click();
  await page.getByText('copied').waitFor();
  const [running] = await scheduler.listExecutingJobs();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(running?.runId);

  await page.getByRole('link', { name: 'Live log of pictures' }).click();
  const lines = page.getByRole('log', { name: 'Log lines' });
  await lines.getByText('begins with the newest pictures').waitFor();
  await page.getByRole('progressbar', { name: '40 % done' }).waitFor();

  await page.getByRole('button', { name: 'Interrupt' }).click();
  const question = page.getByRole('dialog', { name: 'Interrupt pictures?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await scheduler.listExecutingJobs()).toHaveLength(1);
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await question.getByRole('button', { name: 'Interrupt' }).click();
  await lines.getByText('stops where it is').waitFor();
  await page.getByRole('link', { name: 'Show its record' }).click();
  await page.getByRole('region', { name: 'Run details' }).getByText('interrupted').waitFor();
  await goTo(page, 'Running');
  await page.getByText('No jobs are running.').waitFor();
  expect(failures).toEqual([]);
});

test('dead letters are rerun all at once, discarded, and given more attempts', async () => {
  const { page, open, post, scheduler } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'bank', type: 'failing', durable: true, retry: ['10ms'] });
  await scheduler.start();
  await open('dead-letters');
  await page.getByText('No dead letters.').waitFor();
  for (let time = 0; time < 2; time++) await post('/jobs/DEFAULT/bank/fire', {});
  const letters = () => scheduler.listDeadLetters().then(({ items }) => items.map(({ runId }) => runId));
  const first = await until(letters, ({ length }) => length === 2);
  const rows = page.getByRole('region', { name: 'Dead letters' }).getByRole('button', { name: 'Rerun' });
  await until(
    () => rows.count(),
    (count) => count === 2,
  );

  await page.getByRole('button', { name: 'Rerun all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rerun all' }).click();
  const second = await until(letters, (ids) => ids.length === 2 && ids.every((id) => !first.includes(id)));

  await open(`runs/${encodeURIComponent(second[0] ?? '')}`);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  expect(await letters()).toEqual(second.slice(1));

  await open(`runs/${encodeURIComponent(second[1] ?? '')}`);
  await page.getByRole('button', { name: 'Add attempts' }).click();
  await page.getByRole('spinbutton', { name: 'Attempts' }).fill('2');
  await page.getByRole('dialog').getByRole('button', { name: 'Add attempts' }).click();
  await until(letters, ([id, ...more]) => id !== undefined && id !== second[1] && more.length === 0);
  const attempts = page.getByRole('region', { name: 'Attempts' });
  await attempts.getByRole('row').nth(4).waitFor();
  const delays = await attempts.locator('td[data-name="Lateness"]').allInnerTexts();
  expect(delays[0]).toMatch(/s$/);
  expect(new Set(delays.slice(1))).toEqual(new Set(['–'])); // the delay of a retry is not lateness
});

test('a misfired run shows no duration, a sharded run shows its part, and a failed run can be rerun without retries', async () => {
  const { page, open, post, scheduler } = await show({ jobs: JOBS });
  await post('/jobs', { name: 'bank', type: 'failing', durable: true });
  await post('/jobs', { name: 'import', type: 'noop', durable: true, history: 'all', spread: { shards: 2 } });
  await post('/jobs', { name: 'report', type: 'noop', durable: true, history: 'all', startWithin: '1s' });
  await post('/triggers', { name: 'report', job: 'report', at: new Date(Date.now() - 300_000).toISOString() });
  await scheduler.start();
  for (const name of ['bank', 'import']) await post(`/jobs/DEFAULT/${name}/fire`, {});
  const runs = () => scheduler.listRuns({ limit: 10 }).then(({ items }) => items);
  const outcomes = (all: Awaited<ReturnType<typeof runs>>) =>
    all.map(({ jobKey, outcome }) => `${jobKey.name} ${outcome}`).sort();
  const expected = ['bank failed', 'import succeeded', 'import succeeded', 'report misfired'];
  const ended = await until(runs, (all) => outcomes(all).join() === expected.join());
  const runOf = (job: string) => ended.find(({ jobKey }) => jobKey.name === job)?.runId ?? '';
  await open('runs?search=report');
  const missed = page.getByRole('row', { name: /misfired.*report/ });
  expect(await missed.locator('td[data-name="Duration"]').innerText()).toBe('–');
  await open(`runs/${encodeURIComponent(runOf('import'))}`);
  const parts = page.getByRole('region', { name: 'Attempts' }).locator('td[data-name="Part"]');
  await parts.nth(1).waitFor();
  expect((await parts.allInnerTexts()).sort()).toEqual(['1 of 2', '2 of 2']);
  await open(`runs/${encodeURIComponent(runOf('bank'))}`);
  await page.getByRole('button', { name: 'Rerun' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rerun' }).click();
  await page.getByRole('region', { name: 'Attempts' }).getByRole('row').nth(2).waitFor();
});

test('a trigger in ERROR shows the failure of its run and a link to the run', async () => {
  const transfer = async () => {
    throw new Error('The bank has no address here');
  };
  const { file, putIntoError } = fileWithErrors();
  const { page, open, post, scheduler } = await show({ jobs: { transfer }, file });
  await post('/jobs', { name: 'transfer', type: 'transfer', durable: true });
  await post('/triggers', { name: 'often', job: 'transfer', cron: '0/1 * * * * ?' });
  await scheduler.start();
  await until(
    () => scheduler.listRuns({ trigger: 'often' }),
    ({ items }) => items.length > 0,
  );
  await scheduler.standby();
  putIntoError('often');
  await open('triggers/DEFAULT/often');
  const notice = page.locator('.notice', { hasText: 'It does not fire until you reset it' });
  await notice.getByText('The bank has no address here').waitFor();
  await page.getByText('No fire times in the state ERROR. Reset the trigger to let it fire again.').waitFor();
  await open('triggers');
  await page.getByRole('row', { name: /often.*error.*in ERROR/ }).waitFor();
  await open('triggers/DEFAULT/often');
  await notice.getByRole('link').click();
  await page.getByRole('region', { name: 'Error' }).getByText('The bank has no address here').waitFor();
});
