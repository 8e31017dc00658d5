import { inspect } from 'node:util';
import { DateTime } from 'luxon';
import type { StructuredLogger } from '../api/logger';
import type { Plugin, PluginHost } from '../api/plugin';
import type { JobExecutionContext } from '../api/scheduler';
import type { Trigger } from '../api/trigger';
import { maskText, maskValue } from '../base/secrets';
import { checkOptions } from '../domain/check-options';
import { luxonNameOf } from '../domain/time/zone-name';

/**
 * Message templates of the job history. Placeholders are numbered as in Quartz (`{0}`), or named by field
 * (`{jobName}`).
 */
export interface JobHistoryMessages {
  /** Message before a job runs. Default: an English sentence. */
  readonly jobToBeFiredMessage?: string;
  /** Message after a job has succeeded. Default: an English sentence. */
  readonly jobSuccessMessage?: string;
  /** Message after a job has failed. Default: an English sentence. */
  readonly jobFailedMessage?: string;
  /** Message after a listener vetoed a job. Default: an English sentence. */
  readonly jobWasVetoedMessage?: string;
}

/**
 * Message templates of the trigger history. Placeholders are numbered as in Quartz (`{0}`), or named by field
 * (`{triggerName}`).
 */
export interface TriggerHistoryMessages {
  /** Message when a trigger fires. Default: an English sentence. */
  readonly triggerFiredMessage?: string;
  /** Message when a trigger misfired. Default: an English sentence. */
  readonly triggerMisfiredMessage?: string;
  /** Message when a firing is complete. Default: an English sentence. */
  readonly triggerCompleteMessage?: string;
}

/** Name of a history, as plugin and as listener. */
interface HistoryName {
  readonly name?: string;
}

const JOB_OPTIONS: Readonly<Record<keyof (JobHistoryMessages & HistoryName), true>> = {
  name: true,
  jobToBeFiredMessage: true,
  jobSuccessMessage: true,
  jobFailedMessage: true,
  jobWasVetoedMessage: true,
};

const TRIGGER_OPTIONS: Readonly<Record<keyof (TriggerHistoryMessages & HistoryName), true>> = {
  name: true,
  triggerFiredMessage: true,
  triggerMisfiredMessage: true,
  triggerCompleteMessage: true,
};

/**
 * Fields in the order of Quartz's placeholders: `{0}` is the first. All fields are logged, whatever the message
 * contains.
 */
type Fields = Readonly<Record<string, unknown>>;

/** Logs each execution of a job: before it, and when it succeeded, failed, or was vetoed. */
export function loggingJobHistoryPlugin(options: JobHistoryMessages & HistoryName = {}): Plugin {
  const {
    name = 'loggingJobHistory',
    jobToBeFiredMessage = 'Job {jobGroup}/{jobName} fires by trigger {triggerGroup}/{triggerName}',
    jobSuccessMessage = 'Job {jobGroup}/{jobName} ended',
    jobFailedMessage = 'Job {jobGroup}/{jobName} failed: {exception}',
    jobWasVetoedMessage = 'Job {jobGroup}/{jobName} was vetoed',
  } = checkOptions(options, JOB_OPTIONS);
  return {
    name,
    install({ scheduler, logger, clock, timeZone }: PluginHost) {
      const write = writer(logger, timeZone);
      const fieldsOf = (context: JobExecutionContext) => jobFields(context, clock.now());
      scheduler.getListenerManager().addJobListener({
        name,
        jobToBeExecuted: (context) => write('jobToBeFired', jobToBeFiredMessage, fieldsOf(context)),
        jobExecutionVetoed: (context) => write('jobWasVetoed', jobWasVetoedMessage, fieldsOf(context)),
        jobWasExecuted(context, error) {
          const fields = fieldsOf(context);
          if (error === null) return write('jobSuccess', jobSuccessMessage, { ...fields, result: context.result });
          const failed = { ...fields, exception: maskText(error.message) };
          logger.warn(
            { history: 'jobFailed', ...failed, err: maskValue(error) },
            formatMessage(jobFailedMessage, failed, timeZone),
          );
        },
      });
    },
  };
}

/** Logs each firing of a trigger: when it fired, misfired, or completed. */
export function loggingTriggerHistoryPlugin(options: TriggerHistoryMessages & HistoryName = {}): Plugin {
  const {
    name = 'loggingTriggerHistory',
    triggerFiredMessage = 'Trigger {triggerGroup}/{triggerName} fired job {jobGroup}/{jobName}',
    triggerMisfiredMessage = 'Trigger {triggerGroup}/{triggerName} misfired, was due at {nextFireTime}',
    triggerCompleteMessage = 'Trigger {triggerGroup}/{triggerName} completed job {jobGroup}/{jobName}: {instruction}',
  } = checkOptions(options, TRIGGER_OPTIONS);
  return {
    name,
    install({ scheduler, logger, clock, timeZone }: PluginHost) {
      const write = writer(logger, timeZone);
      scheduler.getListenerManager().addTriggerListener({
        name,
        triggerFired: (_, context) =>
          write('triggerFired', triggerFiredMessage, triggerFields(context.trigger, clock.now(), context)),
        triggerMisfired: (trigger) =>
          write('triggerMisfired', triggerMisfiredMessage, triggerFields(trigger, clock.now(), null)),
        triggerComplete: (trigger, context, instruction) =>
          write('triggerComplete', triggerCompleteMessage, {
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
    // The fields include the job's return value, which may contain secrets.
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

/** Matches `{jobName}`, `{0}`, and Java's format syntax, such as `{2, date, HH:mm:ss}`. */
const PLACEHOLDER = /\{\s*(\w+)\s*(?:,\s*(date|time|number)\s*(?:,([^{}]*))?)?\}/g;

/** Java's patterns for `date` and `time` without a pattern. */
const DEFAULT_PATTERNS: Readonly<Record<string, string>> = { date: 'MMM d, yyyy', time: 'h:mm:ss a' };

/**
 * Fills in the placeholders of a message, by field name or position. Dates are formatted in ISO-8601, or with the given
 * pattern of Java's SimpleDateFormat in `timeZone`. Unknown placeholders stay unchanged.
 */
export function formatMessage(message: string, fields: Readonly<Record<string, unknown>>, timeZone: string): string {
  const names = Object.keys(fields);
  return message.replace(PLACEHOLDER, (placeholder, word: string, type?: string, pattern?: string) => {
    const name = /^\d+$/.test(word) ? names[Number(word)] : word;
    if (name === undefined || !Object.hasOwn(fields, name)) return placeholder;
    const value = fields[name];
    const format = pattern?.trim() || DEFAULT_PATTERNS[type ?? ''];
    return value instanceof Date && format !== undefined ? formatDate(value, format, timeZone) : textOf(value);
  });
}

/** Pattern letters that differ between Java and luxon. Quoted text is the same in both. */
const LUXON_LETTERS: Readonly<Record<string, string>> = { z: 'ZZZZ', Z: 'ZZZ', X: 'ZZ', u: 'c', Y: 'kkkk' };

function formatDate(date: Date, pattern: string, timeZone: string): string {
  const translated = pattern.replace(/'(?:[^']|'')*'|([zZXuY])\1*/g, (part, letter?: string) =>
    letter === undefined ? part : (LUXON_LETTERS[letter] ?? part),
  );
  return DateTime.fromJSDate(date, { zone: luxonNameOf(timeZone) })
    .setLocale('en-US')
    .toFormat(translated);
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value === null || value === undefined) return 'none';
  return typeof value === 'object' ? inspect(value, { breakLength: Number.POSITIVE_INFINITY }) : String(value);
}
