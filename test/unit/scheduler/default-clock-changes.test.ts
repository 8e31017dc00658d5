import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cronSchedule, newJob, newTrigger } from '../../../src';
import { systemRandom } from '../../../src/base/ids';
import { controlOf, type SchedulerControl } from '../../../src/scheduler/control';
import { createScheduler } from '../../../src/scheduler/create-scheduler';

const CRON = '0 30 2 * * ?';
const FILE = `
jobs:
  - name: file
    type: noop
    triggers: [{ name: file, cron: '${CRON}' }]
`;
const NAMES = ['code', 'set', 'own', 'file'];

const path = join(tmpdir(), `quartz-ts-clock-changes-${systemRandom.token(12)}.db`);

afterAll(() => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
});

type ClockChanges = 'quartz' | 'natural';

/**
 * Declares cron triggers in every way on one database. Returns their clock changes and the planned changes of a schedule file. Sets the clock changes
 * of the next scheduler.
 */
async function declaredWith(clockChanges: ClockChanges, ofNext: ClockChanges) {
  const noop = async () => {};
  const config = {
    scheduler: { instanceName: 'Clock', logLevel: 'silent', timeZone: 'Europe/Berlin', clockChanges },
    jobStore: { class: 'sqlite', path, storeThread: false },
  };
  const scheduler = await createScheduler(config as never, { jobs: { noop } });
  const control = controlOf(scheduler) as SchedulerControl;
  const trigger = newTrigger().withIdentity('code').withSchedule(cronSchedule(CRON)).build();
  await scheduler.scheduleJobs(new Map([[newJob('noop').withIdentity('code').build(), [trigger]]]), { replace: true });
  const set = { set: { job: 'noop', cron: CRON }, own: { job: 'noop', cron: CRON, clockChanges: 'quartz' } };
  await scheduler.declare(set as never);
  const defaults = { timeZone: 'Europe/Berlin', now: control.now() };
  const file = await control.readScheduleFile(FILE, 'schedule.yaml', {
    defaults,
    signal: new AbortController().signal,
  });
  const planned = await control.planDeclared(file.changes, file.declared);
  await control.applyDeclared(file.changes, file.declared);
  const stored = await Promise.all(NAMES.map((name) => scheduler.getTrigger(name)));
  await control.setRules({ rules: 'safe', clockChanges: ofNext });
  await scheduler.shutdown();
  return {
    values: stored.map((each) => each?.policy?.clockChanges ?? 'quartz'),
    next: stored[0]?.nextFireTime,
    planned: planned.changes.map(({ action, what }) => `${action} ${what}`),
  };
}

it('a cron trigger without clockChanges uses that of the scheduler, and a declaration changes only what differs', async () => {
  const quartz = await declaredWith('quartz', 'natural');
  expect(quartz.values).toEqual(['quartz', 'quartz', 'quartz', 'quartz']);
  const natural = await declaredWith('natural', 'natural');
  expect(natural.values).toEqual(['natural', 'natural', 'quartz', 'natural']);
  expect(natural.planned).toEqual(['unchanged job', 'replace trigger']);
  const again = await declaredWith('natural', 'quartz');
  expect(again).toEqual({ ...natural, planned: ['unchanged job', 'unchanged trigger'] });
  expect((await declaredWith('quartz', 'quartz')).values).toEqual(quartz.values);
});
