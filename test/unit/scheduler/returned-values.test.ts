import { START, shutdownAll, testScheduler } from './support';

afterEach(shutdownAll);

describe('the value that a job returns', () => {
  async function runOf(job: () => unknown, more: object = {}) {
    const { scheduler, runDue } = await testScheduler();
    await scheduler.schedule('job', { at: START, history: 'all', ...more }, job);
    await runDue();
    const { items } = await scheduler.listRuns();
    return items[0];
  }

  it('is stored with its run as JSON', async () => {
    const returned = { rows: 3, at: new Date(5), skipped: undefined, names: ['a'] };
    const run = await runOf(() => returned);
    expect(run).toMatchObject({ outcome: 'succeeded', resultOmitted: null });
    expect(run?.result).toEqual({ rows: 3, at: '1970-01-01T00:00:00.005Z', names: ['a'] });
    expect((await runOf(() => 'done'))?.result).toBe('done');
    expect((await runOf(() => 0))?.result).toBe(0);
    expect((await runOf(() => undefined))?.result).toBeNull();
  });

  it('is a report if it contains only summary, metrics and outcome', async () => {
    const run = await runOf(() => ({ summary: '3 rows', metrics: { rows: 3 } }));
    expect(run).toMatchObject({ summary: '3 rows', metrics: { rows: 3 }, result: null });
    expect((await runOf(() => ({ summary: '3 rows', rows: [] })))?.result).toEqual({ summary: '3 rows', rows: [] });
  });

  it('never fails the run: a value that cannot be stored is omitted with a reason', async () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    expect(await runOf(() => circular)).toMatchObject({
      outcome: 'succeeded',
      result: null,
      resultOmitted: expect.stringMatching(/not JSON: Converting circular/),
    });
    expect(await runOf(() => 'x'.repeat(20_000))).toMatchObject({
      result: null,
      resultOmitted: 'The job returned 20002 bytes as JSON; at most 16384 are kept.',
    });
    expect(await runOf(() => () => 5)).toMatchObject({
      resultOmitted: 'The job returned a function, which JSON cannot represent.',
    });
  });

  it('is also stored for a job that persists its data', async () => {
    const run = await runOf(() => ({ position: 7 }), { persistJobDataAfterExecution: true });
    expect(run?.result).toEqual({ position: 7 });
  });
});
