import { inspect } from 'node:util';
import type { StructuredLogger } from '../api/logger';
import type { Plugin, PluginHost } from '../api/plugin';
import type { JobExecutionContext } from '../api/scheduler';
import type { Trigger } from '../api/trigger';
import { given } from '../base/given';
import { maskText, maskValue } from '../base/secrets';
import { checkOptions } from '../domain/check-options';
import { localText } from '../domain/time/local-text';
import { timeZoneOf } from '../domain/time/time-zone';

/** Message templates of the job history. Placeholders are positions as in Quartz (`{0}`) or field names (`{jobName}`). */
export interface JobHistoryMessages {
  /** Message before a job runs. Default: an English sentence. */
  readonly jobToBeFiredMessage?: string;
  /** Message after a job has succeeded. Default: an English sentence. */
  readonly jobSuccessMessage?: string;
  /** Message after a job has failed. Default: an English sentence. */
  readonly jobFailedMessage?: string;
  /** Message after a trigger listener has vetoed a job. Default: an English sentence. */
  readonly jobWasVetoedMessage?: string;
}

/** Message templates of the trigger history. Placeholders are positions as in Quartz (`{0}`) or field names (`{triggerName}`). */
export interface TriggerHistoryMessages {
  /** Message when a trigger has fired. Default: an English sentence. */
  readonly triggerFiredMessage?: string;
  /** Message when a trigger has misfired. Default: an English sentence. */
  readonly triggerMisfiredMessage?: string;
  /** Message when a firing has completed. Default: an English sentence. */
  readonly triggerCompleteMessage?: string;
}

interface HistoryName {
  readonly name?: string;
}

const JOB_DEFAULTS: Required<JobHistoryMessages & HistoryName> = {
  name: 'loggingJobHistory',
  jobToBeFiredMessage: 'Job {jobGroup}/{jobName} was fired by trigger {triggerGroup}/{triggerName}',
  jobSuccessMessage: 'Job {jobGroup}/{jobName} ended',
  jobFailedMessage: 'Job {jobGroup}/{jobName} failed: {exception}',
  jobWasVetoedMessage: 'Job {jobGroup}/{jobName} was vetoed',
};

const TRIGGER_DEFAULTS: Required<TriggerHistoryMessages & HistoryName> = {
  name: 'loggingTriggerHistory',
  triggerFiredMessage: 'Trigger {triggerGroup}/{triggerName} fired job {jobGroup}/{jobName}',
  triggerMisfiredMessage: 'Trigger {triggerGroup}/{triggerName} misfired; it was due at {nextFireTime}',
  triggerCompleteMessage: 'Trigger {triggerGroup}/{triggerName} completed job {jobGroup}/{jobName}: {instruction}',
};

/** Fields of a log line, in the order of Quartz's placeholders, so that `{0}` is the first. All are logged, even if the message omits them. */
type Fields = Readonly<Record<string, unknown>>;

/** Creates a plugin that logs each execution of a job: its start, success, failure or veto. Throws INVALID_ARGUMENT for unknown options. */
export function loggingJobHistoryPlugin(options: JobHistoryMessages & HistoryName = {}): Plugin {
  const messages = { ...JOB_DEFAULTS, ...given(checkOptions(options, JOB_DEFAULTS)) };
  const { name } = messages;
  return {
    name,
    install({ scheduler, logger, clock, timeZone }: PluginHost) {
      const write = writer(logger, timeZone);
      const fieldsOf = (context: JobExecutionContext) => jobFields(context, clock.now());
      scheduler.getListenerManager().addJobListener({
        name,
        jobToBeExecuted: (context) => write('jobToBeFired', messages.jobToBeFiredMessage, fieldsOf(context)),
        jobExecutionVetoed: (context) => write('jobWasVetoed', messages.jobWasVetoedMessage, fieldsOf(context)),
        jobWasExecuted(context, error) {
          const fields = fieldsOf(context);
          if (error === null)
            return write('jobSuccess', messages.jobSuccessMessage, { ...fields, result: context.result });
          const failed = { ...fields, exception: maskText(error.message) };
          logger.warn(
            { history: 'jobFailed', ...failed, err: maskValue(error) },
            formatMessage(messages.jobFailedMessage, failed, timeZone),
          );
        },
      });
    },
  };
}

/** Creates a plugin that logs each firing of a trigger, when it has fired, misfired or completed. Throws INVALID_ARGUMENT for unknown options. */
export function loggingTriggerHistoryPlugin(options: TriggerHistoryMessages & HistoryName = {}): Plugin {
  const messages = { ...TRIGGER_DEFAULTS, ...given(checkOptions(options, TRIGGER_DEFAULTS)) };
  const { name } = messages;
  return {
    name,
    install({ scheduler, logger, clock, timeZone }: PluginHost) {
      const write = writer(logger, timeZone);
      scheduler.getListenerManager().addTriggerListener({
        name,
        triggerFired: (_, context) =>
          write('triggerFired', messages.triggerFiredMessage, triggerFields(context.trigger, clock.now(), context)),
        triggerMisfired: (trigger) =>
          write('triggerMisfired', messages.triggerMisfiredMessage, triggerFields(trigger, clock.now(), null)),
        triggerComplete: (trigger, context, instruction) =>
          write('triggerComplete', messages.triggerCompleteMessage, {
            ...triggerFields(trigger, clock.now(), context),
            instructionCode: instruction,
            instruction,
          }),
      });
    },
  };
}

function writer(logger: StructuredLogger, timeZone: string) {
  return (history: string, message: string, fields: Fields): void => {
    if (!logger.isLevelEnabled('info')) return;
    // Masked, because the fields include the job's return value, which may contain secrets.
    const shown = Object(maskValue(fields)) as Fields;
    logger.info({ history, ...shown }, formatMessage(message, shown, timeZone));
  };
}

function jobFields(context: JobExecutionContext, now: number): Fields {
  const { jobDetail, trigger } = context;
  return {
    jobName: jobDetail.key.name,
    jobGroup: jobDetail.key.group,
    time: new Date(now),
    triggerName: trigger.key.name,
    triggerGroup: trigger.key.group,
    scheduledFireTime: context.scheduledFireTime,
    nextFireTime: context.nextFireTime,
    refireCount: context.refireCount,
  };
}

function triggerFields(trigger: Trigger, now: number, context: JobExecutionContext | null): Fields {
  return {
    triggerName: trigger.key.name,
    triggerGroup: trigger.key.group,
    previousFireTime: trigger.previousFireTime,
    nextFireTime: trigger.nextFireTime,
    time: new Date(now),
    jobName: trigger.jobKey?.name,
    jobGroup: trigger.jobKey?.group,
    ...(context !== null && { refireCount: context.refireCount }),
  };
}

/** Pattern of placeholders: `{jobName}`, `{0}`, or Java's format syntax such as `{2, date, HH:mm:ss}`. */
const PLACEHOLDER = /\{\s*(\w+)\s*(?:,\s*(date|time|number)\s*(?:,([^{}]*))?)?\}/g;

/** Default patterns of Java for `{n, date}` and `{n, time}`. */
const DEFAULT_PATTERNS: Readonly<Record<string, string>> = { date: 'MMM d, yyyy', time: 'h:mm:ss a' };

/** Replaces placeholders with fields. Dates are in ISO-8601, or in `timeZone` with the placeholder's SimpleDateFormat pattern. Unknown ones stay. */
export function formatMessage(message: string, fields: Readonly<Record<string, unknown>>, timeZone: string): string {
  const names = Object.keys(fields);
  return message.replace(PLACEHOLDER, (placeholder, word: string, type?: string, pattern?: string) => {
    const name = /^\d+$/.test(word) ? names[Number(word)] : word;
    if (name === undefined || !Object.hasOwn(fields, name)) return placeholder;
    const value = fields[name];
    const format = pattern?.trim() || DEFAULT_PATTERNS[type ?? ''];
    return value instanceof Date && format !== undefined
      ? localText(value.getTime(), timeZoneOf(timeZone), format)
      : textOf(value);
  });
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? inspect(value, { breakLength: Number.POSITIVE_INFINITY }) : String(value);
}
