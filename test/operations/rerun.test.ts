import type { JobExecutionContext } from '../../src';
import { until } from '../support/until';
import { type Asked, openAsked, STORES } from './support';

describe.each(STORES)('runs.rerun (%s)', (store) => {
  let asked: Asked;
  let isBroken = true;
  const seen: { readonly data: unknown; readonly time: number }[] = [];

  beforeAll(async () => {
    const import_ = async ({ data, scheduledFireTime }: JobExecutionContext) => {
      seen.push({ data, time: scheduledFireTime.getTime() });
      if (isBroken) throw new Error('no answer');
    };
    asked = await openAsked(store, { import: import_ });
    await asked.scheduler.start();
  }, 60_000);

  afterAll(() => asked.close());

  const failed = async () => (await asked.ask('runs.list', { outcome: ['failed'] })).items;

  it('reruns a failed one-off without retries, with its scheduled time and data, and restores its job', async () => {
    await asked.ask('jobs.add', {
      ...{ name: 'once', type: 'import', data: { file: 'a.csv' } },
      triggers: [{ name: 'once', simple: {}, data: { page: 7 } }],
    });
    await until(failed, ({ length }) => length === 1);
    const [run] = await failed();
    const runId = run?.runId ?? '';
    expect(run).toMatchObject({ isDeadLetter: true });
    expect(await asked.ask('runs.show', { runId })).toMatchObject({ canRerun: true });
    expect((await asked.ask('jobs.list', {})).items).toEqual([]);
    isBroken = false;
    expect(await asked.ask('runs.rerun', { runId })).toEqual({ rerun: true });
    expect(await asked.ask('runs.show', { runId })).toMatchObject({ canRerun: false });
    expect(await asked.refusal('runs.rerun', { runId })).toMatchObject({ code: 'SCHEDULER_STATE' });
    await until(
      () => seen,
      ({ length }) => length === 2,
    );
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[1]?.data).toMatchObject({ file: 'a.csv', page: 7 });
  });

  it('refuses a run that did not fail, has a later attempt, or is not recorded', async () => {
    isBroken = true;
    const { length } = await failed();
    await asked.ask('jobs.add', { name: 'retried', type: 'import', durable: true, retry: 'R1/PT0.001S' });
    await asked.ask('jobs.fire', { name: 'retried' });
    await until(failed, (runs) => runs.length === length + 2);
    const runs = (await failed()).filter(({ job }) => job.name === 'retried');
    const first = runs.find(({ attempt }) => attempt === 1);
    expect(await asked.refusal('runs.rerun', { runId: first?.runId })).toMatchObject({ code: 'SCHEDULER_STATE' });
    expect(await asked.refusal('runs.rerun', { runId: 'abc-def' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await asked.refusal('runs.rerun', { runId: first?.runId }, 'viewer')).toMatchObject({ code: 'FORBIDDEN' });
    const last = runs.find(({ attempt }) => attempt === 2);
    expect(last).toMatchObject({ isDeadLetter: true });
    isBroken = false;
    expect(await asked.ask('runs.rerun', { runId: last?.runId ?? '' })).toEqual({ rerun: true });
  });
});
