import type { Scheduler } from '../api/scheduler';
import type { EpochMs } from '../base/clock';
import { SchedulerError } from '../base/errors';
import { type JobData, NO_DATA } from '../domain/job-data';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, triggerKey } from '../domain/keys';
import { DEFAULT_PRIORITY, type SimpleTrigger } from '../domain/trigger';
import { checkJobLike, checkOptions, toJobKey, toStoreJob } from './checked-input';
import type { SchedulerParts } from './scheduler-parts';

const ADD_OPTIONS = { replace: true, registeredLater: true, storeNonDurableWhileAwaitingScheduling: true } as const;

/** The part of the scheduler that stores jobs without triggers, and runs stored ones at once. */
export function storedJobs({ writer, clock, random }: SchedulerParts): Pick<Scheduler, 'addJob' | 'triggerJob'> {
  return {
    async addJob(job, options = {}) {
      const { storeNonDurableWhileAwaitingScheduling = false } = checkOptions(options, ADD_OPTIONS);
      const refusesNonDurable = !storeNonDurableWhileAwaitingScheduling;
      if (refusesNonDurable && checkJobLike(job).durable === false) throw notDurable(job);
      await writer.applyOne({ type: 'storeJob', job, requireTrigger: false, ...toStoreJob(options) });
    },

    async triggerJob(key, data = NO_DATA) {
      const trigger = oneShot(toJobKey(key), data, { name: `MT_${random.token(13)}`, now: clock.now() });
      const once = { ifExists: 'fail', startTimeDefaulted: false, needsReadableJob: true } as const;
      await writer.applyOne({ type: 'storeTrigger', trigger, ...once });
      return trigger.key;
    },
  };
}

/** What `triggerJob` stores: fires once, now. */
function oneShot(
  jobKey: JobKey,
  data: JobData,
  { name, now }: { readonly name: string; readonly now: EpochMs },
): SimpleTrigger {
  return {
    kind: 'SIMPLE',
    key: triggerKey(name),
    jobKey,
    description: null,
    data,
    priority: DEFAULT_PRIORITY,
    startTime: now,
    endTime: null,
    calendarName: null,
    nextFireTime: null,
    previousFireTime: null,
    repeatCount: 0,
    repeatInterval: 0,
    timesTriggered: 0,
    misfireInstruction: 'SMART_POLICY',
  };
}

function notDurable(job: JobDetail): SchedulerError {
  return new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a durable job, found '${formatKey(job.key)}': without a trigger it would not stay stored. Build it with ` +
      'storeDurably(), or pass storeNonDurableWhileAwaitingScheduling.',
  );
}
