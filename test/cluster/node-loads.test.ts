import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { newJob } from '../../src/api/builders/job-builder';
import { newTrigger } from '../../src/api/builders/trigger-builder';
import { controlOf } from '../../src/scheduler/control';
import { memoryFolder } from '../support/memory-folder.cjs';
import { until } from '../support/until';
import { LocalSchedulers } from './support/local-schedulers';
import { sqliteTables, type Tables } from './support/tables';

describe('the load of nodes on one file', () => {
  let folder: string;
  let tables: Tables;
  let local: LocalSchedulers;

  beforeAll(() => {
    folder = memoryFolder('quartz-loads-');
    tables = sqliteTables(join(folder, 'quartz.db'));
    local = new LocalSchedulers(tables);
  });

  afterAll(async () => {
    await local.shutdown();
    rmSync(folder, { recursive: true });
  });

  it('is visible to a scheduler that never starts, also with history none', async () => {
    const jobStore = { history: 'none', clusterCheckinInterval: 600 };
    let begun = 0;
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const jobs = (broken: boolean) => ({
      [broken ? 'b' : 'a']: async () => {
        begun++;
        if (broken) throw new Error('broken');
      },
      ...(broken ? {} : { held: () => held }),
    });
    const { scheduler: a } = await local.create('a', { jobStore, jobs: jobs(false), threadPool: { threadCount: 3 } });
    const { scheduler: b } = await local.create('b', {
      jobStore: { ...jobStore, storeThread: false },
      jobs: jobs(true),
    });
    const { scheduler: looker } = await local.create('c', { jobStore });
    await Promise.all([a.start(), b.start()]);
    const triggers = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) => newTrigger().withIdentity(`${name} ${at}`).startNow().build());
    await a.scheduleJob(newJob('a').withIdentity('a').build(), triggers('a', 6), {});
    await b.scheduleJob(newJob('b').withIdentity('b').build(), triggers('b', 4), {});
    await a.schedule('held', { at: new Date() });
    const loads = async () => (await looker.listNodes()).map(({ instanceId, load }) => ({ instanceId, load }));
    await until(loads, (all) => all.every(({ load }) => (load?.firingsPerMinute ?? 0) > 0) && begun === 10);
    const steps = async () => (await controlOf(looker)?.readLoads())?.flatMap((load) => load.steps) ?? [];
    const total = (all: Awaited<ReturnType<typeof steps>>, of: 'started' | 'failed') =>
      all.reduce((sum, step) => sum + step[of], 0);
    await until(steps, (all) => total(all, 'started') === 11 && total(all, 'failed') === 4);
    await until(loads, (all) => all.some(({ instanceId, load }) => instanceId === 'a' && load?.running === 1));
    end();
    const told = await until(loads, (all) => all.every(({ load }) => load?.running === 0));
    expect(told).toEqual([
      { instanceId: 'a', load: expect.objectContaining({ workers: 3, failedPerMinute: 0 }) },
      {
        instanceId: 'b',
        load: expect.objectContaining({
          workers: 25,
          latenessMs: { p50: expect.any(Number), p99: expect.any(Number) },
        }),
      },
    ]);
    // With history none, only failed one-offs are recorded, as dead letters.
    const { items } = await looker.listRuns();
    expect(items.map(({ jobType, isDeadLetter }) => ({ jobType, isDeadLetter }))).toEqual(
      Array(4).fill({ jobType: 'b', isDeadLetter: true }),
    );
  });
});
