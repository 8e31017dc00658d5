import type { StoreJobOptions } from '../api/schedule-options';
import type { Scheduler } from '../api/scheduler';
import { fromTrigger, type Trigger } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, sameKey, type TriggerKey } from '../domain/keys';
import type { IfExists, ScheduleChange } from '../domain/schedule-change';
import {
  checkJobLike,
  checkList,
  checkOptions,
  checkTriggerLike,
  toStoreJob,
  toTriggerKey,
  triggerDefaults,
} from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

type Scheduling = Pick<Scheduler, 'scheduleJob' | 'scheduleJobs' | 'rescheduleJob'>;

const STORE_OPTIONS = { replace: true, registeredLater: true } as const;

/** The part of the scheduler that stores triggers, alone or with their jobs. Every call is one transaction. */
export function scheduling({ writer, clock, config }: SchedulerParts): Scheduling {
  const { storeTrigger, replaceTrigger } = triggerChanges({ clock, config });

  async function scheduleTrigger(trigger: Trigger): Promise<Date> {
    return firstFireTime(await writer.applyOne(storeTrigger(checkTriggerLike(trigger), 'fail')));
  }

  async function scheduleWithJob(job: JobDetail, trigger: Trigger, options: StoreJobOptions = {}): Promise<Date> {
    const given = toStoreJob(checkOptions(options, STORE_OPTIONS));
    const [, outcome] = await writer.apply([
      { type: 'storeJob', job: checkJobLike(job), requireTrigger: true, ...given },
      storeTrigger(forJob(checkTriggerLike(trigger), job), given.ifExists),
    ]);
    return firstFireTime(outcome);
  }

  async function scheduleJobs(
    jobs: Iterable<readonly [JobDetail, readonly Trigger[]]>,
    options: StoreJobOptions = {},
  ): Promise<void> {
    const given = toStoreJob(checkOptions(options, STORE_OPTIONS));
    const pairs = checkList(jobs, 'jobs with their triggers').map((pair) => checkList(pair, 'a job and its triggers'));
    const changes = (pairs as [JobDetail, readonly Trigger[]][]).flatMap(([job, triggers]): ScheduleChange[] => [
      { type: 'storeJob', job: checkJobLike(job), requireTrigger: true, ...given },
      ...checkList(triggers, 'triggers').map((trigger) =>
        storeTrigger({ ...checkTriggerLike(trigger), jobKey: job.key }, given.ifExists),
      ),
    ]);
    await writer.apply(changes);
  }

  return {
    // The overloads of the interface, told apart as Quartz's are: by the number and kind of arguments.
    scheduleJob: ((first: never, second?: Trigger | readonly Trigger[], options?: StoreJobOptions) => {
      if (second === undefined) return scheduleTrigger(first);
      if (isList(second)) return scheduleJobs([[first, second]], options);
      return scheduleWithJob(first, second, options);
    }) as Scheduler['scheduleJob'],

    scheduleJobs,

    async rescheduleJob(key, trigger) {
      const outcome = await writer.applyOne(replaceTrigger(toTriggerKey(key), checkTriggerLike(trigger)));
      return outcome.status === 'notFound' ? null : firstFireTime(outcome);
    },
  };
}

/** Triggers as changes; what the caller left open may stay as it is stored. */
function triggerChanges({ clock, config }: Pick<SchedulerParts, 'clock' | 'config'>) {
  const defaults = () => triggerDefaults(clock, config);
  const leftOpen = (trigger: Trigger) => ({
    startTimeDefaulted: trigger.startTime === null,
    timeZoneDefaulted: config.timeZoneDefaulted && 'timeZone' in trigger && trigger.timeZone === null,
  });
  return {
    storeTrigger: (trigger: Trigger, ifExists: IfExists): ScheduleChange => ({
      type: 'storeTrigger',
      trigger: fromTrigger(trigger, defaults()),
      ifExists,
      ...leftOpen(trigger),
    }),
    // The store keeps the job of the old trigger; until then any key will do.
    replaceTrigger: (key: TriggerKey, trigger: Trigger): ScheduleChange => ({
      type: 'replaceTrigger',
      key,
      trigger: fromTrigger({ ...trigger, jobKey: trigger.jobKey ?? key }, defaults()),
      ...leftOpen(trigger),
    }),
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
