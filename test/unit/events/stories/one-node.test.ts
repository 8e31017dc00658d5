import { writeFileSync } from 'node:fs';
import {
  type Configuration,
  GroupMatcher,
  type JobExecutionContext,
  newJob,
  newTrigger,
  simpleSchedule,
} from '../../../../src';
import { createConsole, hashToken } from '../../../../src/console';
import type { Trigger as DomainTrigger } from '../../../../src/domain/trigger';
import { controlOf } from '../../../../src/scheduler/control';
import { proves } from '../../../support/proves';
import { closeAll, deleteFolders, newFile, noop, open, type World } from '../../../support/world/world';
import { expectEvents } from './expect-events';

const soon = (world: World, delay = 0) => ({ at: new Date(world.clock.now() + delay) });

/** A scheduler that is started, put in standby, started again and shut down. */
async function life() {
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
}

/** A schedule that is created, paused, resumed and deleted. */
async function schedule() {
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
}

/** Triggers that fire, fail, are vetoed, misfire or are paused after their acquisition. */
async function firings() {
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
  await world.pass(1_000); // it is already acquired
  await scheduler.pauseTrigger('noop');
  await world.pass(20_000);
  return world;
}

/** A declared trigger that a person edits and that is then declared with another schedule. */
async function declared() {
  const world = await open();
  const declare = (hour: number) => world.scheduler.sync({ noop: { cron: `0 0 ${hour} * * ?` } });
  await declare(6);
  const trigger = await controlOf(world.scheduler)?.findTrigger({ name: 'noop', group: 'DEFAULT' });
  const edited = { ...trigger?.trigger, cronExpression: '0 0 7 * * ?' } as DomainTrigger;
  const change = { type: 'storeTrigger', trigger: edited, ifExists: 'replace', startTimeDefaulted: true } as const;
  await controlOf(world.scheduler)?.apply([change], { by: 'ann', via: 'console' });
  await declare(8);
  return world;
}

/** A job that fails, is retried and fails again. */
async function retries() {
  const world = await open(
    { scheduler: { retry: 'R1/PT1M' } },
    { jobs: { broken: () => Promise.reject(new Error('no paper')) } },
  );
  await world.scheduler.schedule('broken', soon(world));
  await world.scheduler.start();
  await world.pass(180_000);
  return world;
}

/** A firing that is a minute late, although its job allows only a second. */
async function late() {
  const world = await open();
  const each = { every: '10s', startAt: new Date(world.clock.now()), misfire: 'all', startWithin: '1s' } as const;
  await world.scheduler.schedule('late', each, noop);
  world.clock.advanceBy(60_000);
  await world.scheduler.start();
  await world.until(() => world.heard('triggerCompleted').length > 5);
  return world;
}

/** A run that the shutdown of its node aborts. */
async function handedOver() {
  const cut = async ({ signal }: JobExecutionContext) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new Error('cut');
  };
  const world = await open({}, { jobs: { cut } });
  await world.scheduler.schedule('cut', { ...soon(world), requestsRecovery: true });
  await world.scheduler.start();
  await world.until(() => world.heard('jobStarted').length > 0);
  await world.scheduler.shutdown({ waitForJobs: true, deadline: 0 });
  return world;
}

/** A run that occupies the only worker while another trigger waits. */
async function held() {
  const world = await open({ threadPool: { threadCount: 1 } }, { jobs: { hang: () => new Promise(() => {}) } });
  await world.scheduler.schedule('hang', soon(world));
  await world.scheduler.start();
  await world.until(() => world.heard('jobStarted').length > 0);
  await world.scheduler.schedule('noop', soon(world));
  await world.until(() => world.heard('workersHeld').length > 0);
  return world;
}

/** A job whose object cannot be created. */
async function refused() {
  const world = await open();
  world.scheduler.setJobFactory(() => Promise.reject(new Error('no pool')));
  await world.scheduler.schedule('noop', soon(world));
  await world.scheduler.start();
  await world.until(() => world.heard('runRefused').length > 0);
  return world;
}

/** A second firing that waits for the end of the first. */
async function deferred() {
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
}

/** A run that starts late, takes long and does not succeed in time. */
async function alerts() {
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
}

async function deadLetters() {
  const world = await open(
    { scheduler: { retry: 'R1/PT1M' } },
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
}

/** An occurrence with several shards. */
async function shards() {
  const world = await open();
  await world.scheduler.schedule('noop', { every: 3_600_000, spread: { shards: 3 } });
  await world.scheduler.start();
  await world.pass(1_000);
  return world;
}

/** A failed login to the console. */
async function logins() {
  const world = await open();
  const shown = createConsole(world.scheduler, { tokens: { ann: `viewer ${hashToken('t'.repeat(40))}` } });
  const headers = { authorization: 'Bearer another' };
  await shown.fetch(new Request('http://localhost/api/session', { headers }));
  return world;
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('events and log lines of one node', () => {
  it('report start, standby, restart and shutdown of a scheduler', async () => {
    proves('events', 'schedulerStarting', 'schedulerStarted', 'schedulerInStandbyMode', 'schedulerShuttingDown');
    proves('events', 'schedulerShutdown', 'configurationWarning', 'scheduleFileApplied', 'clockStepped');
    expectEvents(await life(), [
      'schedulerStarting',
      'schedulerStarted',
      'schedulerInStandbyMode',
      'schedulerShuttingDown',
      'schedulerShutdown',
      'configurationWarning',
      'scheduleFileApplied',
      'clockStepped',
    ]);
  });

  it('report a conflict between an edited trigger and its new declaration', async () => {
    proves('events', 'scheduleChanged', 'overrideConflict');
    expectEvents(await declared(), ['scheduleChanged', 'overrideConflict']);
  });

  it('report a failed login', async () => {
    proves('events', 'loginFailed');
    expectEvents(await logins(), ['loginFailed']);
  });

  it('report that jobs and triggers are added, paused, resumed and deleted', async () => {
    proves('events', 'jobAdded', 'jobDeleted', 'jobScheduled', 'jobUnscheduled');
    proves('events', 'triggerPaused', 'triggersPaused', 'triggerResumed', 'triggersResumed');
    proves('events', 'jobPaused', 'jobsPaused', 'jobResumed', 'jobsResumed');
    proves('events', 'schedulingDataCleared');
    expectEvents(await schedule(), [
      'jobAdded',
      'jobDeleted',
      'jobScheduled',
      'jobUnscheduled',
      'triggerPaused',
      'triggersPaused',
      'triggerResumed',
      'triggersResumed',
      'jobPaused',
      'jobsPaused',
      'jobResumed',
      'jobsResumed',
      'schedulingDataCleared',
    ]);
  });

  it('report firings that succeed, fail, are vetoed, misfire or do not happen', async () => {
    proves('events', 'triggerFinalized', 'triggersAcquired', 'triggerFired', 'triggerNotFired');
    proves('events', 'jobVetoed', 'jobStarted', 'triggerCompleted', 'jobFailed');
    proves('events', 'triggerMisfired', 'schedulerError');
    expectEvents(await firings(), [
      'triggerFinalized',
      'triggersAcquired',
      'triggerFired',
      'triggerNotFired',
      'jobVetoed',
      'jobStarted',
      'triggerCompleted',
      'jobFailed',
      'triggerMisfired',
      'schedulerError',
    ]);
  });

  it('report a retry, and a dead letter after the last attempt', async () => {
    proves('events', 'retryScheduled', 'retriesExhausted');
    expectEvents(await retries(), ['retryScheduled', 'retriesExhausted']);
  });

  it('report a firing that startWithin does not allow', async () => {
    proves('events', 'firingSkipped');
    expectEvents(await late(), ['firingSkipped']);
  });

  it('report the completion of an occurrence with shards', async () => {
    proves('events', 'occurrenceCompleted');
    expectEvents(await shards(), ['occurrenceCompleted']);
  });

  it('report a run that is handed over on shutdown', async () => {
    proves('events', 'runHandedOver');
    expectEvents(await handedOver(), ['runHandedOver']);
  });

  it('report runs that occupy all workers', async () => {
    proves('events', 'workersHeld');
    const world = await held();
    expectEvents(world, ['workersHeld']);
    expect(world.heard('workersHeld')).toMatchObject([{ runs: [{ jobKey: { name: 'hang' } }] }]);
  });

  it('report a run whose job cannot be created', async () => {
    proves('events', 'runRefused');
    expectEvents(await refused(), ['runRefused']);
  });

  it('report a firing that waits for the end of another', async () => {
    proves('events', 'firingDeferred');
    expectEvents(await deferred(), ['firingDeferred']);
  });

  it('report a run that starts late, takes long and does not succeed in time', async () => {
    proves('events', 'overdue', 'firingLate', 'jobStuck');
    expectEvents(await alerts(), ['overdue', 'firingLate', 'jobStuck']);
  });

  it('report dead letters that are rerun, discarded and deleted', async () => {
    proves('events', 'runsRerun', 'deadLettersDiscarded', 'waitingRunsDeleted');
    expectEvents(await deadLetters(), ['runsRerun', 'deadLettersDiscarded', 'waitingRunsDeleted']);
  });
});
