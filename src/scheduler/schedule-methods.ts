import type { StoreJobOptions, StoreJobsOptions } from '../api/schedule-options';
import type { Scheduler } from '../api/scheduler';
import type {
  AddJobInTransactionOptions,
  StoreJobInTransactionOptions,
  TransactionScheduler,
} from '../api/transactions';
import { fromTrigger, type Trigger, toDate } from '../api/trigger';
import type { EpochMs } from '../base/clock';
import { badArgument, badTrigger, SchedulerError, SchedulerStateError } from '../base/errors';
import type { Calendar } from '../domain/calendars/calendar';
import { calendarFrom } from '../domain/calendars/calendar-from-data';
import { checkOptional, checkOptions } from '../domain/check-options';
import { describeValue, unmet } from '../domain/check-text';
import { type JobData, NO_DATA } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { DEFAULT_GROUP, formatKey, type JobKey, type JobKeyLike, sameKey, type TriggerKeyLike } from '../domain/keys';
import { checkCalendarName, checkFlag } from '../domain/limits';
import type { ChangeSet, IfExists, ScheduleChange } from '../domain/schedule-change';
import { DEFAULT_PRIORITY, oneShotTrigger } from '../domain/trigger';
import {
  checkJobLike,
  checkList,
  checkTriggerLike,
  toJobKey,
  toStoreJob,
  toTriggerKey,
  triggerDefaults,
} from './checked-input';
import { enqueueWith } from './declare-methods';
import type { SchedulerParts } from './scheduler-parts';
import { type GivenSchedule, shorthandChanges } from './shorthand-changes';

const STORE_OPTIONS = { replace: true, registeredLater: true } as const;
const STORE_MANY_OPTIONS = { ...STORE_OPTIONS, atomic: true } as const;
const ADD_OPTIONS = { ...STORE_OPTIONS, storeNonDurableWhileAwaitingScheduling: true } as const;
const NEW_OPTIONS = { registeredLater: true } as const;
const ADD_NEW_OPTIONS = { ...NEW_OPTIONS, storeNonDurableWhileAwaitingScheduling: true } as const;
const CALENDAR_OPTIONS = { replace: true, updateTriggers: true, allowEnding: true } as const;

const PAIR = 'two items, a job and its triggers';

/** Methods that store triggers, alone or with their jobs. Each call is one transaction, except that a large list is applied in portions. */
export function scheduleMethods(parts: SchedulerParts) {
  const { writer } = parts;
  const storeTrigger = (trigger: Trigger, ifExists: IfExists): ScheduleChange => ({
    type: 'storeTrigger',
    ifExists,
    ...completed(trigger, parts),
  });

  const scheduleTrigger = async (trigger: Trigger) =>
    firstFireTime(await writer.applyOne(storeTrigger(checkTriggerLike(trigger), 'fail')));

  const scheduleWithJob = async (job: JobDetail, trigger: Trigger, options: StoreJobOptions = {}) => {
    const given = toStoreJob(checkOptions(options, STORE_OPTIONS));
    const [, outcome] = await writer.apply([
      { type: 'storeJob', job: checkJobLike(job), requireTrigger: true, ...given },
      storeTrigger(forJob(checkTriggerLike(trigger), job), given.ifExists),
    ]);
    return firstFireTime(outcome);
  };

  const scheduleJobs = async (
    jobs: Iterable<readonly [JobDetail, readonly Trigger[]]>,
    options?: StoreJobsOptions,
  ): Promise<void> => {
    const given = toStoreJob(checkOptional(options, STORE_MANY_OPTIONS));
    const pairs = checkList(jobs, 'jobs with their triggers').map((pair) => checkList(pair, PAIR));
    const changes = (pairs as [JobDetail, readonly Trigger[]][]).flatMap(([job, triggers]): ScheduleChange[] => [
      { type: 'storeJob', job: checkJobLike(job), requireTrigger: true, ...given },
      ...checkList(triggers, 'triggers').map((trigger) =>
        storeTrigger({ ...checkTriggerLike(trigger), jobKey: job.key }, given.ifExists),
      ),
    ]);
    await writer.apply(changes, { atomic: checkFlag(options?.atomic ?? false, 'atomic') });
  };

  return {
    // Implements the overloads of the interface. As in Quartz, the number and types of the arguments select one.
    scheduleJob: ((first: never, second?: Trigger | readonly Trigger[], options?: StoreJobOptions) => {
      if (second === undefined) return scheduleTrigger(first);
      if (isList(second)) return scheduleJobs([[first, second]], options);
      return scheduleWithJob(first, second, options);
    }) as Scheduler['scheduleJob'],

    scheduleJobs,

    async rescheduleJob(key, given) {
      const oldKey = toTriggerKey(key);
      const trigger = checkTriggerLike(given);
      // Placeholder: the store replaces it with the job of the old trigger.
      const replacement = completed({ ...trigger, jobKey: trigger.jobKey ?? oldKey }, parts);
      const outcome = await writer.applyOne(
        { type: 'replaceTrigger', key: oldKey, ...replacement },
        { by: null, via: 'program' },
      );
      return outcome.status === 'notFound' ? null : firstFireTime(outcome);
    },
  } satisfies Partial<Scheduler>;
}

export function jobMethods({ writer, clock, random }: SchedulerParts) {
  return {
    async addJob(job, options) {
      const { storeNonDurableWhileAwaitingScheduling = false } = checkOptional(options, ADD_OPTIONS);
      if (!storeNonDurableWhileAwaitingScheduling && checkJobLike(job).durable === false) throw notDurable(job);
      await writer.applyOne({ type: 'storeJob', job, requireTrigger: false, ...toStoreJob(options) });
    },
    async triggerJob(key: JobKeyLike, data?: JobData) {
      const jobKey = toJobKey(key);
      const triggerKey = { group: DEFAULT_GROUP, name: `MT_${random.token(13)}` };
      const of = { jobKey, data: data === undefined ? NO_DATA : data, priority: DEFAULT_PRIORITY };
      const misfireInstruction = 'SMART_POLICY';
      const trigger = { ...oneShotTrigger(triggerKey, clock.now(), of, undefined), misfireInstruction } as const;
      const once = { ifExists: 'fail', startTimeDefaulted: false, needsReadableJob: true } as const;
      await writer.applyOne({ type: 'storeTrigger', trigger, ...once }).catch((error: unknown) => {
        // The store's error names the generated trigger, which the caller does not know.
        if (!(error instanceof SchedulerError) || error.code !== 'JOB_NOT_FOUND') throw error;
        throw new SchedulerError('JOB_NOT_FOUND', `There is no job '${formatKey(jobKey)}'.`, { cause: error });
      });
      return trigger.key;
    },
  } satisfies Partial<Scheduler>;
}

export function transactionMethods(parts: SchedulerParts): Pick<Scheduler, 'withConnection'> {
  const { node, lifecycle, clock, config } = parts;
  return {
    withConnection(connection) {
      lifecycle.assertUsable();
      if (node.transactions === null) throw noDatabase('withConnection');
      const writer = parts.writer.within(node.transactions, connection);
      const within = { ...parts, writer };
      const { scheduleJob, addJob, triggerJob } = { ...scheduleMethods(within), ...jobMethods(within) };
      return {
        scheduleJob: (async (first: never, second?: Trigger, options: StoreJobInTransactionOptions = {}) => {
          checkTimed(checkTriggerLike(second ?? first));
          if (second === undefined) return scheduleJob(first);
          return scheduleJob(first, second, checkOptions(options, NEW_OPTIONS));
        }) as TransactionScheduler['scheduleJob'],
        schedule: (async (name: string, when: GivenSchedule) => {
          const changes = shorthandChanges(name, when, triggerDefaults(clock, config), null);
          checkTimed(changes[1].trigger);
          return firstFireTime((await writer.apply(changes))[1]) as Date;
        }) as TransactionScheduler['schedule'],
        enqueue: enqueueWith(within),
        addJob: async (job: JobDetail, options: AddJobInTransactionOptions = {}) =>
          addJob(job, checkOptions(options, ADD_NEW_OPTIONS)),
        triggerJob,
      } satisfies TransactionScheduler;
    },
  };
}

/** Methods that delete triggers and jobs. Each call is one transaction, except that a large list is applied in portions. */
export function deleteMethods({ writer }: SchedulerParts) {
  const deletesAll = async (changes: ChangeSet) =>
    (await writer.apply(changes)).every(({ status }) => status === 'deleted');
  return {
    unscheduleJob: async (key) => deletesAll([deletionOfTrigger(key)]),
    unscheduleJobs: async (keys) => deletesAll(checkList(keys, 'trigger keys').map(deletionOfTrigger)),
    deleteJob: async (key) => deletesAll([deletionOfJob(key)]),
    deleteJobs: async (keys) => deletesAll(checkList(keys, 'job keys').map(deletionOfJob)),
    async clear() {
      await writer.applyOne({ type: 'clear' });
    },
  } satisfies Partial<Scheduler>;
}

const deletionOfTrigger = (key: TriggerKeyLike) => ({ type: 'deleteTrigger', key: toTriggerKey(key) }) as const;
const deletionOfJob = (key: JobKeyLike) => ({ type: 'deleteJob', key: toJobKey(key) }) as const;

export function calendarMethods({ usableStore, writer, config }: SchedulerParts) {
  return {
    async addCalendar(name, calendar, options) {
      const { replace = false, updateTriggers = false, allowEnding = false } = checkOptional(options, CALENDAR_OPTIONS);
      const ifExists = replace ? ('replace' as const) : ('fail' as const);
      const settings = { ifExists, updateTriggers, allowEnding };
      await writer.applyOne({ type: 'storeCalendar', name, calendar: dataOf(calendar), ...settings });
    },
    async deleteCalendar(name) {
      return (await writer.applyOne({ type: 'deleteCalendar', name })).status === 'deleted';
    },
    async getCalendar(name) {
      const store = usableStore();
      const data = await store.getCalendar(checkCalendarName(name));
      return data === null ? null : calendarFrom(data, config.policy.rules);
    },
    getCalendarNames: async () => usableStore().getCalendarNames(),
  } satisfies Partial<Scheduler>;
}

/** Adds the defaults of a trigger and marks them as defaults: if the trigger replaces a stored one, the stored values take precedence. */
function completed(trigger: Trigger, { clock, config }: SchedulerParts) {
  return {
    trigger: fromTrigger(trigger, triggerDefaults(clock, config)),
    startTimeDefaulted: trigger.startTime === null,
    timeZoneDefaulted: config.timeZoneDefaulted && 'timeZone' in trigger && trigger.timeZone === null,
  };
}

/** Assigns a trigger to this job. Throws INVALID_TRIGGER if the trigger names another job. */
function forJob(trigger: Trigger, { key }: JobDetail): Trigger {
  // The field may be missing if the trigger was not created by a builder.
  const isOpen = (trigger.jobKey ?? null) === null;
  if (isOpen || sameKey(trigger.jobKey as JobKey, key)) return { ...trigger, jobKey: key };
  const [theirs, given] = [formatKey(trigger.jobKey as JobKey), formatKey(key)];
  throw badTrigger(
    `Expected a trigger for job '${given}', found '${formatKey(trigger.key)}' for job '${theirs}'. Leave out forJob.`,
  );
}

/** Returns the first fire time. Null for triggers that wait for other jobs; the store rejects any other trigger without a fire time. */
function firstFireTime(outcome: { readonly nextFireTime: EpochMs | null } | undefined): Date | null {
  return toDate(outcome?.nextFireTime ?? null);
}

function isList(value: unknown): value is readonly Trigger[] {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function notDurable(job: JobDetail): SchedulerError {
  return badArgument(
    `Expected a durable job, found '${formatKey(job.key)}', which would be deleted because it has no trigger. Build it with ` +
      'storeDurably(), or pass storeNonDurableWhileAwaitingScheduling.',
  );
}

/** Throws INVALID_ARGUMENT for a trigger that waits for other jobs: only under the cluster's lock can it be compared with all of its kind. */
function checkTimed({ kind }: Pick<Trigger, 'kind'>): void {
  if (kind === 'AFTER')
    throw unmet('a trigger with fire times in the transaction of a caller', 'one that waits for other jobs');
}

function noDatabase(what: string): SchedulerError {
  return new SchedulerStateError(
    `Expected a job store in a database for ${what}, found a job store in memory, which has no transactions.`,
  );
}

function dataOf(calendar: Calendar) {
  if (typeof calendar?.toJSON === 'function') return calendar.toJSON();
  throw new SchedulerError(
    'INVALID_CALENDAR',
    `Expected a calendar such as new HolidayCalendar({ excludedDates: ['2027-01-01'] }), found ${describeValue(calendar)}.`,
  );
}
