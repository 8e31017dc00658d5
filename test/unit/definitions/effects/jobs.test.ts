import { writeFileSync } from 'node:fs';
import { type Configuration, GroupMatcher, newJob, newTrigger, type Scheduler } from '../../../../src';
import { controlOf } from '../../../../src/scheduler/control';
import { proves } from '../../../support/proves';
import { fallSilent, node } from '../../../support/world/cluster';
import { closeAll, codeOf, deleteFolders, endless, newFile, open } from '../../../support/world/world';
import { applied, failuresOf, runsAtOnce, withTrigger } from './apply';

/** The job of a file with these fields and a trigger. */
const jobWith = async (fields: string) =>
  (await applied(withTrigger('simple: { interval: 60s }', fields))).scheduler.getJobDetail('job');

/** Stores a job and a trigger for each key (`group/name`), before the file is read. */
async function store(scheduler: Scheduler, ...keys: readonly string[]): Promise<void> {
  for (const each of keys) {
    const [group, name] = each.split('/') as [string, string];
    const job = newJob('job').withIdentity(name, group).storeDurably().build();
    const later = newTrigger().withIdentity(name, group).startAt(new Date('2027-01-01')).build();
    await scheduler.scheduleJob(job, later);
  }
}

const keyText = ({ group, name }: { readonly group: string; readonly name: string }) => `${group}/${name}`;

/** Jobs and triggers that remain, of those stored before, after a file was applied. */
async function left(text: string, ...keys: readonly string[]) {
  const { scheduler } = await applied(text, (early) => store(early, ...keys));
  return {
    jobs: (await scheduler.listJobs()).items.map(({ key }) => keyText(key)).sort(),
    triggers: (await scheduler.listTriggers()).items.map(({ trigger }) => keyText(trigger.key)).sort(),
  };
}

const OLD = newJob('job').withDescription('old').storeDurably();
const storeOld = (scheduler: Scheduler) => scheduler.addJob(OLD.withIdentity('job').build());
const NEW = withTrigger('simple: { interval: 60s }', 'description: new');
const withOld = async (directives: string) =>
  (await (await applied(`directives: { ${directives} }\n${NEW}`, storeOld)).scheduler.getJobDetail('job'))?.description;

const PACE = { clusterCheckinInterval: 500, clusterCheckinGrace: 500 };

/** Number of firings that another node recovers when the node that runs the job of a file dies. */
async function recoveredWith(fields: string): Promise<number | undefined> {
  const [path, fileNames] = [newFile(), newFile('schedule.yaml')];
  writeFileSync(fileNames, withTrigger('simple: { repeatCount: 0 }', fields));
  const plugin = { p: { class: 'scheduleFile', fileNames } } as const;
  await fallSilent(
    await open({ ...node(path, 'silent', PACE), plugin } as Configuration, { jobs: { job: endless } }),
    path,
  );
  const other = await open(node(path, 'other', PACE), { jobs: { job: endless } });
  await other.soon(other.scheduler.start());
  await other.until(() => other.heard('nodeRecovered').length > 0);
  return other.heard('nodeRecovered')[0]?.report.recovered.length;
}

const ALL = ['a/1', 'a/2', 'b/1'] as const;

/** Names of the stored triggers after a file with a trigger `job` was applied, when the set `billing` already had two others. */
async function namesAfter(...lines: readonly string[]): Promise<readonly string[]> {
  const old = { every: '1h', job: async () => {} } as const;
  const { scheduler } = await applied(withTrigger("cron: '0 0 6 * * ?'", '', lines.join('\n')), (before) =>
    before.declare({ old, elsewhere: { ...old, group: 'reports' } }, { set: 'billing' }),
  );
  return (await scheduler.listTriggers()).items.map(({ trigger }) => trigger.key.name).sort();
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('job fields and general fields of a schedule file', () => {
  it('`timeZone` sets the time zone of the triggers', async () => {
    proves('schedule-file', 'file timeZone');
    const zoned = withTrigger("cron: '0 0 6 * * ?'", '', 'timeZone: Asia/Tokyo');
    const { scheduler } = await applied(zoned);
    expect((await scheduler.getTrigger('job'))?.nextFireTime).toEqual(new Date('2026-01-01T21:00:00Z'));
    const { scheduler: inUtc } = await applied(withTrigger("cron: '0 0 6 * * ?'"));
    expect((await inUtc.getTrigger('job'))?.nextFireTime).toEqual(new Date('2026-01-01T06:00:00Z'));
  });

  it('`set` determines which triggers are pruned', async () => {
    proves('schedule-file', 'file set');
    expect(await namesAfter('prune: all', 'set: billing')).toEqual(['job']);
    expect(await namesAfter('prune: all', 'set: other')).toEqual(['elsewhere', 'job', 'old']);
  });

  it('`prune` deletes undeclared triggers of the set in its groups or in all groups', async () => {
    proves('schedule-file', 'file prune');
    expect(await namesAfter('set: billing')).toEqual(['elsewhere', 'job', 'old']);
    expect(await namesAfter('set: billing', 'prune: group')).toEqual(['elsewhere', 'job']);
    expect(await namesAfter('set: billing', 'prune: all')).toEqual(['job']);
  });

  it('`renamedFrom` takes over the triggers of another set', async () => {
    proves('schedule-file', 'file renamedFrom');
    expect(await namesAfter('set: bills', 'prune: all')).toEqual(['elsewhere', 'job', 'old']);
    expect(await namesAfter('set: bills', 'prune: all', 'renamedFrom: billing')).toEqual(['job']);
  });

  it('`onDeclaredEdit: refuse` prevents manual edits', async () => {
    proves('schedule-file', 'file onDeclaredEdit');
    const removed = async (...lines: readonly string[]) => {
      const { scheduler } = await applied(withTrigger("cron: '0 0 6 * * ?'", '', lines.join('\n')));
      const key = { name: 'job', group: 'DEFAULT' };
      return codeOf(() => controlOf(scheduler)?.apply([{ type: 'deleteTrigger', key }], { by: 'ann', via: 'console' }));
    };
    expect(await removed('onDeclaredEdit: override')).not.toBe('DECLARED_ELSEWHERE');
    expect(await removed('onDeclaredEdit: refuse')).toBe('DECLARED_ELSEWHERE');
  });

  it('`directives` controls the replacement of existing jobs', async () => {
    proves('schedule-file', 'file directives');
    expect(await withOld('overwriteExistingData: true')).toBe('new');
    expect(await withOld('overwriteExistingData: false, ignoreDuplicates: true')).toBe('old');
  });

  it('`commands` deletes jobs', async () => {
    proves('schedule-file', 'file commands');
    expect((await left('commands: { deleteJobs: [{ name: "1", group: a }] }', ...ALL)).jobs).toEqual(['a/2', 'b/1']);
  });

  it('calendars are stored', async () => {
    proves('schedule-file', 'file calendars');
    const { scheduler } = await applied('calendars: { weekend: { type: weekly } }');
    expect(await scheduler.getCalendarNames()).toEqual(['weekend']);
  });

  it('jobs are stored', async () => {
    proves('schedule-file', 'file jobs');
    const { scheduler } = await applied('jobs: [{ name: job, durable: true }, { name: other, durable: true }]');
    expect((await scheduler.listJobs()).items).toHaveLength(2);
  });

  it('triggers outside of jobs are stored', async () => {
    proves('schedule-file', 'file triggers');
    const triggers = 'triggers: [{ name: t, job: job, simple: { interval: 60s } }]';
    const { scheduler } = await applied(`jobs: [{ name: job, durable: true }]\n${triggers}`);
    expect((await scheduler.getTriggersOfJob('job')).map(({ key }) => key.name)).toEqual(['t']);
  });

  it('`overwriteExistingData` replaces existing jobs', async () => {
    proves('schedule-file', 'directive overwriteExistingData');
    expect(await withOld('overwriteExistingData: true')).toBe('new');
    expect(await codeOf(() => withOld('overwriteExistingData: false'))).toBe('OBJECT_ALREADY_EXISTS');
  });

  it('`atomic` applies the file in one transaction, with a warning for very many entries', async () => {
    proves('schedule-file', 'directive atomic');
    const jobs = Array.from({ length: 2_001 }, (_, index) => `  - { name: '${index}', type: job, durable: true }`);
    const warned = async (atomic: boolean) => {
      const warnings: string[] = [];
      await applied(`directives: { atomic: ${atomic} }\njobs:\n${jobs.join('\n')}\n`, async (scheduler) => {
        scheduler.subscribe((event) => event.type === 'configurationWarning' && warnings.push(event.message));
      });
      return warnings.filter((text) => text.includes('in one transaction (atomic)')).length;
    };
    expect([await warned(false), await warned(true)]).toEqual([0, 1]);
  });

  it('`ignoreDuplicates` keeps existing jobs without an error', async () => {
    proves('schedule-file', 'directive ignoreDuplicates');
    expect(await withOld('overwriteExistingData: false, ignoreDuplicates: true')).toBe('old');
    expect(await codeOf(() => withOld('overwriteExistingData: false, ignoreDuplicates: false'))).toBe(
      'OBJECT_ALREADY_EXISTS',
    );
  });

  it('`neverDelete` protects job groups from deletion by a pattern', async () => {
    proves('schedule-file', 'directive neverDelete');
    const text = "commands: { deleteJobsInGroup: ['*'] }";
    expect((await left(text, ...ALL)).jobs).toEqual([]);
    expect((await left(`directives: { neverDelete: { jobGroups: [a] } }\n${text}`, ...ALL)).jobs).toEqual([
      'a/1',
      'a/2',
    ]);
  });

  it('`neverDelete.jobGroups` protects jobs from deletion', async () => {
    proves('schedule-file', 'directive neverDelete.jobGroups');
    const text = 'directives: { neverDelete: { jobGroups: [b] } }\ncommands: { deleteJobsInGroup: [a, b] }';
    expect((await left(text, ...ALL)).jobs).toEqual(['b/1']);
  });

  it('`neverDelete.triggerGroups` protects triggers from deletion', async () => {
    proves('schedule-file', 'directive neverDelete.triggerGroups');
    const text = 'directives: { neverDelete: { triggerGroups: [b] } }\ncommands: { deleteTriggersInGroup: [a, b] }';
    expect((await left(text, ...ALL)).triggers).toEqual(['b/1']);
  });

  it('`deleteJobsInGroup` deletes all jobs of a group', async () => {
    proves('schedule-file', 'command deleteJobsInGroup');
    expect((await left('commands: { deleteJobsInGroup: [a] }', ...ALL)).jobs).toEqual(['b/1']);
    expect((await left("commands: { deleteJobsInGroup: ['*'] }", ...ALL)).jobs).toEqual([]);
  });

  it('`deleteTriggersInGroup` deletes all triggers of a group', async () => {
    proves('schedule-file', 'command deleteTriggersInGroup');
    const leftAfter = await left('commands: { deleteTriggersInGroup: [a] }', ...ALL);
    expect([leftAfter.triggers, leftAfter.jobs]).toEqual([['b/1'], ALL]);
  });

  it('`deleteJobs` deletes single jobs', async () => {
    proves('schedule-file', 'command deleteJobs');
    const text = 'commands: { deleteJobs: [x, { name: "1", group: b }] }';
    expect((await left(text, 'DEFAULT/x', ...ALL)).jobs).toEqual(['a/1', 'a/2']);
  });

  it('`deleteTriggers` deletes single triggers', async () => {
    proves('schedule-file', 'command deleteTriggers');
    const text = 'commands: { deleteTriggers: [{ name: "2", group: a }] }';
    expect((await left(text, ...ALL)).triggers).toEqual(['a/1', 'b/1']);
  });

  it('`name` is required for each job', async () => {
    proves('schedule-file', 'job name');
    const { scheduler } = await applied('jobs: [{ name: report, type: job, durable: true }]');
    expect((await scheduler.getJobKeys(GroupMatcher.anyGroup())).map(keyText)).toEqual(['DEFAULT/report']);
    expect(await codeOf(() => applied('jobs: [{ type: job, durable: true }]'))).toBe('CONFIGURATION');
  });

  it('`group` sets the group of the job', async () => {
    proves('schedule-file', 'job group');
    const { scheduler } = await applied('jobs: [{ name: job, group: finance, durable: true }]');
    expect(await scheduler.getJobGroupNames()).toEqual(['finance']);
  });

  it('`type` is the name of the job by default', async () => {
    proves('schedule-file', 'job type');
    expect((await jobWith(''))?.jobType).toBe('job');
    expect((await jobWith('type: other'))?.jobType).toBe('other');
  });

  it('`description` is stored with the job', async () => {
    proves('schedule-file', 'job description');
    expect([(await jobWith(''))?.description, (await jobWith('description: figures'))?.description]).toEqual([
      null,
      'figures',
    ]);
  });

  it('`durable` keeps a job without triggers', async () => {
    proves('schedule-file', 'job durable');
    const withoutTriggers = (durable: boolean) => codeOf(() => applied(`jobs: [{ name: job, durable: ${durable} }]`));
    expect([await withoutTriggers(true), await withoutTriggers(false)]).toEqual(['no error', 'CONFIGURATION']);
    const kept = async (durable: boolean) => {
      const once = withTrigger('simple: { repeatCount: 0 }', `durable: ${durable}`);
      const { scheduler, runDue } = await applied(once);
      await runDue();
      return scheduler.checkExists({ job: 'job' });
    };
    expect([await kept(true), await kept(false)]).toEqual([true, false]);
  });

  it('`requestsRecovery` makes another node recover a run', async () => {
    proves('schedule-file', 'job requestsRecovery');
    expect([await recoveredWith('requestsRecovery: true'), await recoveredWith('')]).toEqual([1, 0]);
  });

  it('`disallowConcurrentExecution` prevents concurrent runs', async () => {
    proves('schedule-file', 'job disallowConcurrentExecution');
    const atOnce = (isAlone: boolean) => runsAtOnce({ job: `, disallowConcurrentExecution: ${isAlone}` });
    expect([await atOnce(true), await atOnce(false)]).toEqual([1, 6]);
  });

  it('`persistJobDataAfterExecution` stores the data that the job returns', async () => {
    proves('schedule-file', 'job persistJobDataAfterExecution');
    const dataAfter = async (isKept: boolean) => {
      const fields = `type: counting, durable: true, persistJobDataAfterExecution: ${isKept}, data: { count: 0 }`;
      const file = withTrigger('simple: { repeatCount: 0 }', fields);
      const { scheduler, runDue } = await applied(file, undefined, { counting: () => ({ count: 1 }) });
      await runDue();
      return (await scheduler.getJobDetail('job'))?.data;
    };
    expect([await dataAfter(true), await dataAfter(false)]).toEqual([{ count: 1 }, { count: 0 }]);
  });

  it('`registeredLater` allows an unknown job type', async () => {
    proves('schedule-file', 'job registeredLater');
    const of = (registeredLater: boolean) =>
      codeOf(() => applied(`jobs: [{ name: unheard-of, durable: true, registeredLater: ${registeredLater} }]`));
    expect([await of(true), await of(false)]).toEqual(['no error', 'UNKNOWN_JOB_TYPE']);
  });

  it('`retry` sets the number of retries, in every form', async () => {
    proves('schedule-file', 'job retry');
    expect(await failuresOf({})).toEqual([1, 1]);
    for (const [retry, runs] of [
      ['R2/PT1M', 3],
      ['[30s, 5m, 1h]', 3],
      ['3', 4],
      ['{ max: 8, delay: 1m, factor: 2, maxAge: 4m }', 3],
      ['false', 1],
    ] as const)
      expect((await failuresOf({ job: `, retry: ${retry}` }))[0]).toBe(runs);
    expect(await codeOf(() => failuresOf({ job: ', retry: often' }))).toBe('CONFIGURATION');
  });

  it('`history` sets which runs are recorded', async () => {
    proves('schedule-file', 'job history');
    expect(await failuresOf({ job: ', history: all' })).toEqual([1, 1]);
    expect(await failuresOf({ job: ', history: failures' })).toEqual([1, 1]);
    expect(await failuresOf({ job: ', history: none', simple: '{ interval: 1d }' })).toEqual([1, 0]);
    expect(await failuresOf({ job: ', history: none' })).toEqual([1, 1]); // a failed one-shot trigger leaves a dead letter
    expect(await codeOf(() => failuresOf({ job: ', history: some' }))).toBe('CONFIGURATION');
  });

  it('`concurrency` limits the concurrent runs of the job', async () => {
    proves('schedule-file', 'job concurrency');
    const keyed = "{ key: 'k {data.none}', limit: 3 }";
    for (const [concurrency, runs] of [
      ['2', 2],
      [keyed, 3],
    ] as const)
      expect(await runsAtOnce({ job: `, concurrency: ${concurrency}` })).toBe(runs);
    expect(await codeOf(() => runsAtOnce({ job: ', concurrency: 0' }))).toBe('CONFIGURATION');
    expect(await codeOf(() => runsAtOnce({ job: ", concurrency: { key: '{name}', limit: 1 }" }))).toBe('CONFIGURATION');
  });

  it('`rate` limits the runs of the job per period', async () => {
    proves('schedule-file', 'job rate');
    for (const [rate, runs] of [
      ['{ limit: 2, per: PT1M }', 1],
      ['{ limit: 3, per: 60000, burst: 2 }', 2],
      ["{ key: 'k {data.none}', limit: 9, per: 1m, burst: 9 }", 6],
    ] as const)
      expect(await runsAtOnce({ job: `, rate: ${rate}` })).toBe(runs);
    for (const wrong of ['2', '{ limit: 2 }', '{ limit: 2, per: 10ms }', '{ limit: 2, per: 1m, burst: 3 }'])
      expect(await codeOf(() => runsAtOnce({ job: `, rate: ${wrong}` }))).toBe('CONFIGURATION');
  });

  it('`timeout` limits the duration of a run', async () => {
    proves('schedule-file', 'job timeout');
    for (const timeout of ['1s', '{ after: 1s, grace: 1s }', '{ deadline: 1s, grace: 1s }'])
      expect(await runsAtOnce({ job: `, timeout: ${timeout}` })).toBe(timeout === '1s' ? 6 : 2);
    expect(await codeOf(() => runsAtOnce({ job: ', timeout: 0' }))).toBe('CONFIGURATION');
  });

  it('`spread` divides each occurrence into shards', async () => {
    proves('schedule-file', 'job spread');
    for (const [spread, runs] of [
      ['', 1],
      [', spread: { shards: 3 }', 4],
      [', spread: { shards: 2, params: [a, { to: 1 }] }', 3],
    ] as const) {
      const { runDue } = await applied(withTrigger('simple: { repeatCount: 0 }', `type: job${spread}`));
      expect(await runDue()).toHaveLength(runs); // the firing, and one for each part
    }
    const code = (spread: string) => codeOf(() => applied(withTrigger('simple: { repeatCount: 0 }', spread)));
    expect(await code('type: job, spread: { shards: 0 }')).toBe('CONFIGURATION');
    expect(await code('type: job, spread: { shards: 2, params: [a] }')).toBe('CONFIGURATION');
  });

  it('`runsOn` restricts the job to nodes with the labels', async () => {
    proves('schedule-file', 'job runsOn');
    for (const [field, runs] of [
      ['', 1],
      [', runsOn: gpu', 0],
      [', runsOn: [gpu, eu]', 0],
      [', runsOn: []', 1],
    ] as const) {
      const { runDue } = await applied(withTrigger('simple: { repeatCount: 0 }', `type: job${field}`));
      expect(await runDue()).toHaveLength(runs);
    }
  });

  it('`prefers` delays the job on nodes without the labels', async () => {
    proves('schedule-file', 'job prefers');
    for (const [field, afterASecond] of [
      ['prefers: gpu', 0],
      ['prefers: [gpu, eu]', 0],
      ['prefers: { labels: gpu, fallbackAfter: 1s }', 1],
    ] as const) {
      const { clock, runDue } = await applied(withTrigger('simple: { repeatCount: 0 }', `type: job, ${field}`));
      clock.advanceBy(1_000);
      expect(await runDue()).toHaveLength(afterASecond);
      clock.advanceBy(4_000);
      expect(await runDue()).toHaveLength(1 - afterASecond);
    }
  });

  it('`startWithin` skips firings that would start too late', async () => {
    proves('schedule-file', 'job startWithin');
    for (const [field, skipped] of [
      ['', 0],
      [', startWithin: PT1S', 5],
    ] as const) {
      const each = 'simple: { interval: 10s, repeatCount: 5 }, misfire: all';
      const { clock, runDue } = await applied(withTrigger(each, `type: job${field}`));
      clock.advanceBy(50_000);
      expect((await runDue()).filter(({ outcome }) => outcome === 'skipped')).toHaveLength(skipped);
    }
  });

  it('`overlap` sets how runs of the job may overlap', async () => {
    proves('schedule-file', 'job overlap');
    for (const [overlap, runs] of [
      ['allow', 6],
      ['skip', 1],
      ['queueOne', 1],
      ['{ queueAll: 2 }', 1],
      ['cancelRunning', 1],
    ] as const)
      expect(await runsAtOnce({ job: `, overlap: ${overlap}` })).toBe(runs);
    for (const wrong of ['often', '{ queueAll: 0 }', '{ queue: 1 }'])
      expect(await codeOf(() => runsAtOnce({ job: `, overlap: ${wrong}` }))).toBe('CONFIGURATION');
  });

  it('`mustSucceedWithin` makes the job overdue after this time without a success', async () => {
    proves('schedule-file', 'job mustSucceedWithin');
    for (const [field, count] of [
      ['', 0],
      [', mustSucceedWithin: PT1M', 1],
      [', mustSucceedWithin: 90000', 0],
    ] as const) {
      const { scheduler, advanceBy } = await applied(withTrigger('simple: { interval: 1h }', `type: job${field}`));
      await scheduler.pauseAll();
      await advanceBy(80_000);
      expect(await scheduler.listOverdue()).toHaveLength(count);
    }
  });

  it('`data` is stored with the job, up to 60 KiB', async () => {
    proves('schedule-file', 'job data');
    expect([(await jobWith(''))?.data, (await jobWith('data: { to: [a, 1] }'))?.data]).toEqual([{}, { to: ['a', 1] }]);
    expect(await codeOf(() => jobWith(`data: { text: ${'x'.repeat(61 * 1_024)} }`))).toBe('CONFIGURATION');
  });

  it('`triggers` of a job are stored with it, and an empty list is refused', async () => {
    proves('schedule-file', 'job triggers');
    const { scheduler } = await applied(withTrigger('simple: { interval: 60s }'));
    expect((await scheduler.getTriggersOfJob('job')).map(({ key }) => keyText(key))).toEqual(['DEFAULT/job']);
    expect(await codeOf(() => applied('jobs: [{ name: job, triggers: [] }]'))).toBe('CONFIGURATION');
  });
});
