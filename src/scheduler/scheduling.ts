import type { Scheduler } from '../api/scheduler';
import { fromTrigger, type Trigger } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, sameKey } from '../domain/keys';
import type { IfExists, ScheduleChange } from '../domain/schedule-change';
import {
  checkJobLike,
  checkList,
  checkOptions,
  checkTriggerLike,
  toTriggerKey,
  triggerDefaults,
} from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Scheduling = Pick<Scheduler, 'scheduleJob' | 'scheduleJobs' | 'rescheduleJob'>;

/** The part of the scheduler that stores triggers, alone or with their jobs. Every call is one transaction. */
export function scheduling({ writer, clock, config }: SchedulerParts): Scheduling {
  const defaults = () => triggerDefaults(clock, config);
  const storeTrigger = (trigger: Trigger, ifExists: IfExists): ScheduleChange => ({
    type: 'storeTrigger',
    trigger: fromTrigger(trigger, defaults()),
    ifExists,
    ...defaulted(trigger),
  });
  /** What the caller left open, so that what is stored may stay. */
  const defaulted = (trigger: Trigger) => ({
    startTimeDefaulted: trigger.startTime === null,
    timeZoneDefaulted: config.timeZoneDefaulted && 'timeZone' in trigger && trigger.timeZone === null,
  });

  async function scheduleTrigger(trigger: Trigger): Promise<Date> {
    return firstFireTime(await writer.applyOne(storeTrigger(checkTriggerLike(trigger), 'fail')));
  }

  async function scheduleWithJob(job: JobDetail, trigger: Trigger): Promise<Date> {
    const [, outcome] = await writer.apply([
      { type: 'storeJob', job: checkJobLike(job), ifExists: 'fail', requireTrigger: true },
      storeTrigger(forJob(checkTriggerLike(trigger), job), 'fail'),
    ]);
    return firstFireTime(outcome);
  }

  async function scheduleJobs(jobs: Iterable<readonly [JobDetail, readonly Trigger[]]>, options = { replace: false }) {
    const ifExists = checkOptions(options, { replace: true }).replace ? 'replace' : 'fail';
    const pairs = checkList(jobs, 'jobs with their triggers').map((pair) => checkList(pair, 'a job and its triggers'));
    const changes = (pairs as [JobDetail, readonly Trigger[]][]).flatMap(([job, triggers]): ScheduleChange[] => [
      { type: 'storeJob', job: checkJobLike(job), ifExists, requireTrigger: true },
      ...checkList(triggers, 'triggers').map((trigger) =>
        storeTrigger({ ...checkTriggerLike(trigger), jobKey: job.key }, ifExists),
      ),
    ]);
    await writer.apply(changes);
  }

  return {
    // The overloads of the interface, told apart as Quartz's are: by the number and kind of arguments.
    scheduleJob: ((first: never, second?: Trigger | readonly Trigger[], options?: { readonly replace: boolean }) => {
      if (second === undefined) return scheduleTrigger(first);
      if (isList(second)) return scheduleJobs([[first, second]], options);
      return scheduleWithJob(first, second);
    }) as Scheduler['scheduleJob'],

    scheduleJobs,

    async rescheduleJob(key, trigger) {
      const oldKey = toTriggerKey(key);
      // The store keeps the job of the old trigger; until then any key will do.
      const jobKey = checkTriggerLike(trigger).jobKey ?? oldKey;
      const outcome = await writer.applyOne({
        type: 'replaceTrigger',
        key: oldKey,
        trigger: fromTrigger({ ...trigger, jobKey }, defaults()),
        ...defaulted(trigger),
      });
      return outcome.status === 'notFound' ? null : firstFireTime(outcome);
    },
  };
}

/** The trigger, for this job. Throws INVALID_TRIGGER when it was built for another. */
function forJob(trigger: Trigger, { key }: JobDetail): Trigger {
  // Hand-made triggers may lack the field.
  const isOpen = (trigger.jobKey ?? null) === null;
  if (isOpen || sameKey(trigger.jobKey as JobKey, key)) return { ...trigger, jobKey: key };
  const [theirs, given] = [formatKey(trigger.jobKey as JobKey), formatKey(key)];
  throw new SchedulerError(
    'INVALID_TRIGGER',
    `Expected a trigger for job '${given}', found '${formatKey(trigger.key)}' for job '${theirs}'. Leave out forJob.`,
  );
}

/** The store refuses what will never fire. */
function firstFireTime(outcome: { readonly nextFireTime: EpochMs | null } | undefined): Date {
  return new Date(outcome?.nextFireTime as EpochMs);
}

function isList(value: unknown): value is readonly Trigger[] {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
