import type { JobExecutionContext, Run, Scheduler } from '../../../src';
import { itTogether } from '../../support/together';
import { until } from '../../support/until';
import { recorded, type SchedulerStage } from './stage';

/** Kinds of jobs that a factory may refuse: the schedule of each, and the number of runs of its occurrence. */
const kindsAt = (at: Date) => ({
  oneOff: { schedule: { at }, runs: 1 },
  recurring: { schedule: { every: '1h', startAt: at }, runs: 1 },
  retried: { schedule: { at, retry: 'R3/PT1H' }, runs: 1 },
  recovered: { schedule: { at, requestsRecovery: true }, runs: 1 },
  alone: { schedule: { at, disallowConcurrentExecution: true }, runs: 1 },
  overlapping: { schedule: { every: '1h', startAt: at, overlap: 'skip' }, runs: 1 },
  limited: { schedule: { at, concurrency: { key: 'printer', limit: 1 } }, runs: 1 },
  shards: { schedule: { at, spread: { shards: 3 } }, runs: 3 },
});

const KINDS = kindsAt(new Date(0));

/** Job names of the expected runs of one set of schedules. */
const EXPECTED = Object.entries(KINDS).flatMap(([name, { runs }]) => Array(runs).fill(name));
const ALL = [...EXPECTED, 'chained'].sort();

/** `at`: long before it would be missed. */
async function scheduleAll(scheduler: Scheduler, at: Date): Promise<void> {
  for (const [name, { schedule }] of Object.entries(kindsAt(at)))
    await scheduler.schedule(name, { job: 'work', history: 'all', ...schedule } as never);
  await scheduler.schedule('chained', { job: 'work', history: 'all', after: 'oneOff' } as never);
}

async function allEnded(scheduler: Scheduler): Promise<readonly Run[]> {
  const ended = async () => {
    const runs: Run[] = [];
    for (const name of [...Object.keys(KINDS), 'chained']) runs.push(...(await recorded(scheduler, name)));
    return runs;
  };
  return until(ended, (found) => found.length >= ALL.length);
}

const namesOf = (runs: readonly Run[]) => runs.map(({ jobKey }) => jobKey.name).sort();

async function delaysEveryKind(stage: SchedulerStage): Promise<void> {
  const at = new Date();
  const ran: JobExecutionContext[] = [];
  const scheduler = await stage.create({ work: (context) => void ran.push(context) });
  let isBroken = true;
  scheduler.setJobFactory((job) => {
    if (isBroken) throw new Error('the pool is not ready');
    return { execute: job as never };
  });
  const refused = new Set<string>();
  scheduler.subscribe(
    (event) => event.type === 'runRefused' && refused.add(event.firing.jobDetail.key.name),
    ['runRefused'],
  );
  await scheduleAll(scheduler, at);
  await scheduler.start();
  await until(
    () => refused.size,
    (count) => count === Object.keys(KINDS).length,
  );
  expect(ran).toEqual([]);
  isBroken = false;
  const runs = await allEnded(scheduler);
  expect(namesOf(runs)).toEqual(ALL);
  expect(ran.map(({ jobDetail }) => jobDetail.key.name).sort()).toEqual(ALL);
  for (const run of runs) expect(run).toMatchObject({ outcome: 'succeeded', attempt: 1 });
  expect(ran.filter(({ data }) => Object.keys(data).some((key) => key.startsWith('QRTZ_')))).toEqual([]);
  const limited = await recorded(scheduler, 'limited');
  expect(limited).toMatchObject([{ triggerKey: { name: 'limited' }, scheduledFireTime: at }]);
  for (const name of ['recurring', 'overlapping']) expect(await scheduler.getTriggerState(name)).toBe('WAITING');
}

async function failsWhatIsRefusedTooOften(stage: SchedulerStage): Promise<void> {
  const at = new Date();
  const scheduler = await stage.create({ work: () => undefined }, { maxFactoryRefusals: 2 });
  scheduler.setJobFactory(() => Promise.reject(new Error('no pool')));
  await scheduler.schedule('oneOff', { job: 'work', at });
  await scheduler.schedule('retried', { job: 'work', at, retry: 'R1/PT1H' });
  await scheduler.schedule('recurring', { job: 'work', every: '1h', startAt: at });
  await scheduler.start();
  const names = ['oneOff', 'retried', 'recurring'];
  const runs = await until(
    async () => (await Promise.all(names.map((name) => recorded(scheduler, name)))).flat(),
    (found) => found.length === 3,
  );
  expect(runs.map(({ isDeadLetter }) => isDeadLetter)).toEqual([true, false, false]);
  for (const run of runs)
    expect(run).toMatchObject({ outcome: 'failed', attempt: 1, error: expect.stringMatching(/no pool/) });
  expect(await scheduler.getTriggerState('recurring')).toBe('WAITING');
  expect(await scheduler.rerun({ job: 'oneOff' })).toBe(1);
}

async function leavesAllToOthers(stage: SchedulerStage): Promise<void> {
  if (stage.store === 'memory') return; // no other node shares a memory store
  const ran: string[] = [];
  const jobs = (node: string) => ({
    work: ({ jobDetail }: JobExecutionContext) => void ran.push(`${node} ${jobDetail.key.name}`),
  });
  const name = `factories-${stage.store}`;
  const broken = await stage.create(jobs('broken'), { instanceName: name, instanceId: 'broken' });
  const sound = await stage.create(jobs('sound'), { instanceName: name, instanceId: 'sound' });
  broken.setJobFactory(() => {
    throw new Error('no pool');
  });
  const refused = new Promise((resolve) => broken.subscribe(resolve, ['runRefused']));
  await broken.start();
  await scheduleAll(broken, new Date());
  await refused;
  await sound.start();
  const runs = await allEnded(sound);
  expect(namesOf(runs)).toEqual(ALL);
  expect(ran.sort()).toEqual(ALL.map((each) => `sound ${each}`));
  for (const run of runs) expect(run).toMatchObject({ outcome: 'succeeded', attempt: 1 });
}

/** Errors of job factories: a node that cannot begin a run releases it. A node pauses for seconds, so the tests run together. */
export function describeFactories(stage: () => SchedulerStage): void {
  describe('a job factory that fails', () => {
    const by = (play: (stage: SchedulerStage) => Promise<void>) => async () => {
      const own = stage().beside();
      await play(own).finally(() => own.shutdown());
    };

    itTogether(
      {
        'delays every kind of run, and loses or repeats none': by(delaysEveryKind),
        'fails an attempt after as many refusals as scheduler.maxFactoryRefusals': by(failsWhatIsRefusedTooOften),
        'of one node leaves all runs to the other nodes': by(leavesAllToOthers),
      },
      60_000,
    );
  });
}
