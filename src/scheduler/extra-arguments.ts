import type { Scheduler } from '../api/scheduler';
import { badArgument, type SchedulerError } from '../base/errors';

/** Parameter names of each scheduler method. The compiler checks that no method is missing. */
export const PARAMETERS: Readonly<Record<keyof Scheduler, readonly string[]>> = {
  getSchedulerName: [],
  getSchedulerInstanceId: [],
  getContext: [],
  getMetaData: [],
  health: [],
  start: [],
  startDelayed: ['delay'],
  standby: [],
  shutdown: ['options'],
  isStarted: [],
  isInStandbyMode: [],
  isShutdown: [],
  schedule: ['name', 'when', 'job'],
  enqueue: ['jobType', 'data', 'options'],
  declare: ['schedules', 'options'],
  sync: ['schedules', 'options'],
  registerJob: ['jobType', 'job'],
  setJobFactory: ['factory'],
  scheduleJob: ['job', 'trigger', 'options'],
  scheduleJobs: ['jobs', 'options'],
  unscheduleJob: ['key'],
  unscheduleJobs: ['keys'],
  rescheduleJob: ['key', 'trigger'],
  addJob: ['job', 'options'],
  deleteJob: ['key'],
  deleteJobs: ['keys'],
  triggerJob: ['key', 'data'],
  pauseTrigger: ['key', 'options'],
  pauseTriggers: ['matcher', 'options'],
  resumeTrigger: ['key'],
  resumeTriggers: ['matcher', 'options'],
  pauseJob: ['key', 'options'],
  pauseJobs: ['matcher', 'options'],
  resumeJob: ['key', 'options'],
  resumeJobs: ['matcher', 'options'],
  pauseAll: ['options'],
  listPauses: [],
  listOverdue: ['options'],
  resumeAll: ['options'],
  resetTriggerFromErrorState: ['key'],
  getJobGroupNames: [],
  getJobKeys: ['matcher'],
  getTriggerGroupNames: [],
  getTriggerKeys: ['matcher'],
  getPausedTriggerGroups: [],
  getTriggersOfJob: ['key'],
  getJobDetail: ['key'],
  getJobDetails: ['matcher'],
  getTrigger: ['key'],
  getTriggerState: ['key'],
  listJobs: ['options'],
  listTriggers: ['options'],
  checkExists: ['key'],
  listUnreadable: [],
  clear: [],
  addCalendar: ['name', 'calendar', 'options'],
  deleteCalendar: ['name'],
  getCalendar: ['name'],
  getCalendarNames: [],
  backfill: ['key', 'options'],
  listBackfills: [],
  dropBackfill: ['group'],
  listNodes: [],
  drain: ['instanceId'],
  undrain: ['instanceId'],
  getCurrentlyExecutingJobs: [],
  listExecutingJobs: [],
  getRun: ['runId'],
  tailRun: ['runId', 'onLine', 'options'],
  interrupt: ['key', 'options'],
  interruptRun: ['runId', 'options'],
  listRuns: ['options'],
  getJobStatus: ['key'],
  listDeadLetters: ['options'],
  rerun: ['which'],
  discard: ['which'],
  setRetries: ['which', 'max'],
  listOngoingOccurrences: [],
  withConnection: ['connection'],
  use: ['middleware'],
  getListenerManager: [],
  subscribe: ['subscriber', 'types'],
};

type Method = (...given: readonly unknown[]) => unknown;

/** Methods that throw synchronously. All other methods reject. */
const SYNCHRONOUS: ReadonlySet<keyof Scheduler> = new Set([
  'getSchedulerName',
  'getSchedulerInstanceId',
  'getContext',
  'getMetaData',
  'startDelayed',
  'isStarted',
  'isInStandbyMode',
  'isShutdown',
  'registerJob',
  'setJobFactory',
  'getCurrentlyExecutingJobs',
  'withConnection',
  'use',
  'getListenerManager',
  'subscribe',
]);

/** Makes the scheduler's methods reject or throw INVALID_ARGUMENT for extra arguments, such as an option passed as its own argument, as in Java. */
export function refusingExtraArguments(scheduler: Scheduler): Scheduler {
  const methods = Object.entries(scheduler) as readonly [keyof Scheduler, Method][];
  const checked = methods.map(([name, method]): [string, Method] => [
    name,
    (...given) => {
      const error = extraArgument(name, given);
      if (error === null) return method(...given);
      if (SYNCHRONOUS.has(name)) throw error;
      return Promise.reject(error);
    },
  ]);
  return Object.fromEntries(checked) as unknown as Scheduler;
}

function extraArgument(name: keyof Scheduler, given: readonly unknown[]): SchedulerError | null {
  const names = PARAMETERS[name];
  if (given.slice(names.length).every((each) => each === undefined)) return null;
  const expected = names.length === 0 ? 'no arguments' : `at most ${names.length} (${names.join(', ')})`;
  return badArgument(`Arguments of ${name}: expected ${expected}, found ${given.length}.`);
}
