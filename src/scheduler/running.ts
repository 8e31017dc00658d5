import type { Scheduler } from '../api/scheduler';
import { SchedulerError, toError } from '../base/errors';
import { describeValue } from '../domain/check-text';
import { checkOptions } from './checked-input';
import { metaDataOf } from './meta-data';
import type { SchedulerParts } from './scheduler-parts';

type Running = Pick<
  Scheduler,
  | 'getSchedulerName'
  | 'getSchedulerInstanceId'
  | 'getContext'
  | 'getMetaData'
  | 'start'
  | 'startDelayed'
  | 'standby'
  | 'shutdown'
  | 'isStarted'
  | 'isInStandbyMode'
  | 'isShutdown'
>;

const SHUTDOWN_OPTIONS = { waitForJobs: true, deadline: true } as const;

/** The part of the scheduler that says what it is and starts and stops it. */
export function running(parts: SchedulerParts): Running {
  const { config, lifecycle, announce } = parts;
  const context = new Map<string, unknown>(Object.entries(config.context));
  return {
    getSchedulerName: () => config.instanceName,
    getSchedulerInstanceId: () => config.instanceId,
    getContext: () => context,
    getMetaData: () => metaDataOf(parts),
    isStarted: () => lifecycle.runningSince !== null,
    isInStandbyMode: () => lifecycle.isInStandbyMode,
    isShutdown: () => lifecycle.state === 'shutdown',
    start: () => lifecycle.start(),
    startDelayed(delay) {
      checkDuration(delay, 'delay');
      // Nobody waits for it, so nobody else could be told.
      lifecycle
        .startDelayed(delay)
        .catch((error) => announce({ type: 'schedulerError', during: 'delayed start', error: toError(error) }));
    },
    standby: () => lifecycle.standby(),
    async shutdown(options = {}) {
      const { waitForJobs = false, deadline = config.shutdownDeadline } = checkOptions(options, SHUTDOWN_OPTIONS);
      checkDuration(deadline, 'deadline');
      await lifecycle.shutdown({ waitForJobs, deadline });
    },
  };
}

function checkDuration(duration: unknown, what: string): void {
  if (typeof duration === 'number' && duration >= 0) return;
  throw new SchedulerError(
    'INVALID_ARGUMENT',
    `Expected a number of milliseconds, 0 or more, as ${what}, found ${describeValue(duration)}.`,
  );
}
