import type { Plugin, PluginHost } from '../api/plugin';
import type { JobExecutionContext } from '../api/scheduler';
import { toError } from '../base/errors';
import { sleepFor } from '../base/sleep';
import { checkOptions } from '../domain/check-options';
import { invalidArgument } from '../domain/check-text';
import type { JobData } from '../domain/job-data';
import { JobDataMap } from '../domain/job-data-map';
import { formatKey } from '../domain/keys';

/** Options of `jobInterruptMonitorPlugin`. */
export interface JobInterruptMonitorOptions {
  /** Name of the plugin and of its listener, used in messages. Default: `jobInterruptMonitor`. */
  readonly name?: string;
  /** Maximum run time in milliseconds, at least 1, of jobs that do not set `MaxRunTime`. Default: 300,000. */
  readonly defaultMaxRunTime?: number;
}

/** Keys in job or trigger data, as in Quartz. AutoInterruptable: true if the job may be interrupted. MaxRunTime: maximum run time in milliseconds. */
const AUTO_INTERRUPTABLE = 'AutoInterruptable';
const MAX_RUN_TIME = 'MaxRunTime';

const DEFAULT_MAX_RUN_TIME_MS = 300_000;

/**
 * Creates a plugin that interrupts jobs that run too long, by aborting their `signal`. It only watches jobs whose data contains `AutoInterruptable:
 * true`. The limit is `MaxRunTime` in milliseconds. Both values may also be strings. The time restarts with each execution, including immediate
 * refires. Throws INVALID_ARGUMENT for invalid options.
 */
export function jobInterruptMonitorPlugin(options: JobInterruptMonitorOptions = {}): Plugin {
  const { name = 'jobInterruptMonitor', defaultMaxRunTime = DEFAULT_MAX_RUN_TIME_MS } = checkOptions(options, {
    name: true,
    defaultMaxRunTime: true,
  });
  checkRunTime(defaultMaxRunTime, 'defaultMaxRunTime');
  const watches = new Map<string, AbortController>();

  async function watch(context: JobExecutionContext, maxRunTime: number, { scheduler, clock }: PluginHost) {
    const { runId } = context;
    const ended = new AbortController();
    watches.get(runId)?.abort();
    watches.set(runId, ended);
    await sleepFor(clock, maxRunTime, ended.signal);
    if (!ended.signal.aborted) await scheduler.interruptRun(runId, { by: name });
  }

  return {
    name,
    install(host) {
      host.scheduler.getListenerManager().addJobListener({
        name,
        jobToBeExecuted(context) {
          const maxRunTime = maxRunTimeOf(context, defaultMaxRunTime);
          if (maxRunTime !== null) watch(context, maxRunTime, host).catch((error) => report(host, error));
        },
        jobWasExecuted({ runId }) {
          watches.get(runId)?.abort();
          watches.delete(runId);
        },
      });
    },
    stop() {
      for (const watched of watches.values()) watched.abort();
      watches.clear();
    },
  };
}

function report({ publish, clock }: PluginHost, thrown: unknown): void {
  publish({ type: 'schedulerError', at: clock.now(), during: 'interrupting a job', error: toError(thrown) });
}

/** Returns the maximum run time in milliseconds, or null if the job must not be interrupted. Throws INVALID_ARGUMENT for an invalid `MaxRunTime`. */
function maxRunTimeOf({ data, jobDetail }: JobExecutionContext, defaultMaxRunTime: number): number | null {
  const map = new JobDataMap(data as JobData);
  if (!map.containsKey(AUTO_INTERRUPTABLE) || !map.getBooleanValue(AUTO_INTERRUPTABLE)) return null;
  if (!map.containsKey(MAX_RUN_TIME)) return defaultMaxRunTime;
  return checkRunTime(map.getLongValue(MAX_RUN_TIME), `${MAX_RUN_TIME} of job '${formatKey(jobDetail.key)}'`);
}

function checkRunTime(runTime: number, what: string): number {
  if (Number.isSafeInteger(runTime) && runTime > 0) return runTime;
  throw invalidArgument(`a whole number of milliseconds, 1 or more, as ${what}`, runTime);
}
