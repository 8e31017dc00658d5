import { writeFileSync } from 'node:fs';
import { type Configuration, GroupMatcher, newJob, newTrigger, simpleSchedule } from '../../../../src';
import { createConsole, hashToken } from '../../../../src/console';
import type { Trigger as DomainTrigger } from '../../../../src/domain/trigger';
import { controlOf } from '../../../../src/scheduler/control';
import { once, type Proofs } from '../support/proof';
import { newFile, noop, open, type World } from '../support/world';
import { told } from './told';

const soon = (world: World, delay = 0) => ({ at: new Date(world.clock.now() + delay) });

/** A scheduler that is started, paused, started again and shut down. */
const life = once(async () => {
  const fileNames = newFile('schedule.yaml');
  writeFileSync(fileNames, 'jobs: [{ name: noop, durable: true }]');
  const config = { 'threadPool.threadPriority': 5, plugin: { p: { class: 'scheduleFile', fileNames } } };
  const world = await open(config as unknown as Configuration);
  await world.soon(world.scheduler.start());
  await world.soon(world.scheduler.standby());
  await world.soon(world.scheduler.start());
  world.clock.stepTo(world.clock.now() - 10_000);
  await world.pass(60_000);
  await world.soon(world.scheduler.shutdown());
  return world;
});

/** A schedule that is made, paused, resumed and deleted. */
const schedule = once(async () => {
  const world = await open();
  const { scheduler } = world;
  const group = GroupMatcher.groupEquals('DEFAULT');
  await scheduler.schedule('noop', { every: 60_000 });
  await scheduler.pauseTrigger('noop');
  await scheduler.resumeTrigger('noop');
  await scheduler.pauseTriggers(group);
  await scheduler.resumeTriggers(group);
  await scheduler.pauseJob('noop');
  await scheduler.resumeJob('noop');
  await scheduler.pauseJobs(group);
  await scheduler.resumeJobs(group);
  await scheduler.unscheduleJob('noop');
  await scheduler.addJob(newJob('noop').withIdentity('j').storeDurably().build());
  await scheduler.deleteJob('j');
  await scheduler.clear();
  return world;
});

/** Triggers that fire, fail, are vetoed, come too late, and do not fire after all. */
const firings = once(async () => {
  const world = await open({}, { jobs: { broken: () => Promise.reject(new Error('no paper')) } });
  const { scheduler } = world;
  const manager = scheduler.getListenerManager();
  const isVetoed = ({ key }: { readonly key: { readonly name: string } }) => key.name === 'vetoed';
  manager.addTriggerListener({ name: 'veto', vetoJobExecution: isVetoed });
  manager.addJobListener({ name: 'deaf', jobToBeExecuted: () => Promise.reject(new Error('deaf')) });
  const hourly = simpleSchedule().withIntervalInHours(1).repeatForever();
  const late = newTrigger()
    .withIdentity('late')
    .withSchedule(hourly)
    .startAt(new Date(world.clock.now() + 1));
  await scheduler.scheduleJob(newJob('noop').withIdentity('late').build(), late.build());
  world.clock.advanceBy(600_000);
  await scheduler.schedule('noop', soon(world));
  await scheduler.schedule('broken', soon(world));
  await scheduler.scheduleJob(
    newJob('noop').withIdentity('vetoed').build(),
    newTrigger().withIdentity('vetoed').startAt(new Date(world.clock.now())).build(),
  );
  await scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length >= 3);
  await scheduler.schedule('noop', soon(world, 10_000));
  await world.pass(1_000); // it is reserved already
  await scheduler.pauseTrigger('noop');
  await world.pass(20_000);
  return world;
});

/** A declared trigger that someone edits by hand, and that is then declared otherwise. */
const declared = once(async () => {
  const world = await open();
  const declare = (hour: number) => world.scheduler.sync({ noop: { cron: `0 0 ${hour} * * ?` } });
  await declare(6);
  const trigger = await controlOf(world.scheduler)?.findTrigger({ name: 'noop', group: 'DEFAULT' });
  const edited = { ...trigger?.trigger, cronExpression: '0 0 7 * * ?' } as DomainTrigger;
  const change = { type: 'storeTrigger', trigger: edited, ifExists: 'replace', startTimeDefaulted: true } as const;
  await controlOf(world.scheduler)?.apply([change], { by: 'ann', via: 'console' });
  await declare(8);
  return world;
});

/** A job that fails, is tried again and fails again. */
const retries = once(async () => {
  const world = await open(
    { 'org.quartz.scheduler.retry': 'R1/PT1M' },
    { jobs: { broken: () => Promise.reject(new Error('no paper')) } },
  );
  await world.scheduler.schedule('broken', soon(world));
  await world.scheduler.start();
  await world.pass(180_000);
  return world;
});

/** A minute passes at once, of which the job allows a second. */
const late = once(async () => {
  const world = await open();
  const each = { every: '10s', startAt: new Date(world.clock.now()), misfire: 'all', startWithin: '1s' } as const;
  await world.scheduler.schedule('late', each, noop);
  world.clock.advanceBy(60_000);
  await world.scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length > 5);
  return world;
});

/** A second firing while the first one executes, which waits for its end. */
const deferred = once(async () => {
  let end = () => {};
  const world = await open({}, { jobs: { long: () => new Promise<void>((resolve) => (end = resolve)) } });
  await world.scheduler.schedule('long', { ...soon(world), overlap: 'queueOne' });
  await world.scheduler.start();
  await world.until(() => world.heard('jobStarted').length > 0);
  await world.scheduler.triggerJob('long');
  await world.until(() => world.heard('firingDeferred').length > 0);
  end();
  await world.until(() => world.heard('jobStarted').length > 1);
  end();
  return world;
});

/** Something that begins late, goes on for long, and does not succeed in time. */
const alerts = once(async () => {
  const world = await open({ alerts: { lateAfter: '1s', stuckAfter: '1s' } });
  const { clock } = world;
  const at = new Date(clock.now());
  await world.scheduler.schedule('slow', { at, mustSucceedWithin: '1m' }, async ({ signal }) => {
    await clock.sleepUntil(clock.now() + 3_600_000, signal);
  });
  clock.advanceBy(10_000);
  await world.scheduler.start();
  await world.pass(120_000);
  return world;
});

const deadLetters = once(async () => {
  const world = await open(
    { 'org.quartz.scheduler.retry': 'R1/PT1M' },
    { jobs: { broken: () => Promise.reject(new Error('no paper')) } },
  );
  await world.scheduler.schedule('broken', { every: 3_600_000 });
  await world.scheduler.start();
  await world.pass(180_000);
  await world.soon(world.scheduler.rerun({}));
  await world.pass(180_000);
  await world.soon(world.scheduler.discard({}));
  await world.soon(world.scheduler.schedule('broken', soon(world)));
  await world.until(() => world.heard('retryScheduled').length > 2);
  await world.soon(world.scheduler.deleteJob('broken'));
  return world;
});

/** An occurrence that is run in parts. */
const shards = once(async () => {
  const world = await open();
  await world.scheduler.schedule('noop', { every: 3_600_000, spread: { shards: 3 } });
  await world.scheduler.start();
  await world.pass(1_000);
  return world;
});

/** A login to a console that fails. */
const logins = once(async () => {
  const world = await open();
  const shown = createConsole(world.scheduler, { tokens: { ann: `viewer ${hashToken('t'.repeat(40))}` } });
  const headers = { authorization: 'Bearer another' };
  await shown.fetch(new Request('http://localhost/api/session', { headers }));
  return world;
});

/** What happens to one node by itself, in memory. */
export const oneNodeProofs: Proofs = {
  schedulerStarting: told('schedulerStarting', life),
  schedulerStarted: told('schedulerStarted', life),
  schedulerInStandbyMode: told('schedulerInStandbyMode', life),
  schedulerShuttingDown: told('schedulerShuttingDown', life),
  schedulerShutdown: told('schedulerShutdown', life),
  configurationWarning: told('configurationWarning', life),
  scheduleFileApplied: told('scheduleFileApplied', life),
  scheduleChanged: told('scheduleChanged', declared),
  overrideConflict: told('overrideConflict', declared),
  clockStepped: told('clockStepped', life),
  loginFailed: told('loginFailed', logins),
  jobAdded: told('jobAdded', schedule),
  jobDeleted: told('jobDeleted', schedule),
  jobScheduled: told('jobScheduled', schedule),
  jobUnscheduled: told('jobUnscheduled', schedule),
  triggerPaused: told('triggerPaused', schedule),
  triggersPaused: told('triggersPaused', schedule),
  triggerResumed: told('triggerResumed', schedule),
  triggersResumed: told('triggersResumed', schedule),
  jobPaused: told('jobPaused', schedule),
  jobsPaused: told('jobsPaused', schedule),
  jobResumed: told('jobResumed', schedule),
  jobsResumed: told('jobsResumed', schedule),
  schedulingDataCleared: told('schedulingDataCleared', schedule),
  triggerFinalized: told('triggerFinalized', firings),
  triggersAcquired: told('triggersAcquired', firings),
  triggerFired: told('triggerFired', firings),
  triggerNotFired: told('triggerNotFired', firings),
  jobVetoed: told('jobVetoed', firings),
  jobStarted: told('jobStarted', firings),
  triggerCompleted: told('triggerCompleted', firings),
  jobFailed: told('jobFailed', firings),
  retryScheduled: told('retryScheduled', retries),
  retriesExhausted: told('retriesExhausted', retries),
  firingSkipped: told('firingSkipped', late),
  occurrenceCompleted: told('occurrenceCompleted', shards),
  firingDeferred: told('firingDeferred', deferred),
  overdue: told('overdue', alerts),
  firingLate: told('firingLate', alerts),
  jobStuck: told('jobStuck', alerts),
  runsRerun: told('runsRerun', deadLetters),
  deadLettersDiscarded: told('deadLettersDiscarded', deadLetters),
  waitingRunsDeleted: told('waitingRunsDeleted', deadLetters),
  triggerMisfired: told('triggerMisfired', firings),
  schedulerError: told('schedulerError', firings),
};
