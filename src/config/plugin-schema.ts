import { z } from 'zod';
import { flag, textList, wholeNumber } from './schema-values';

const message = (description: string) => z.string().min(1).max(4_096).optional().meta({ description });

/** The settings of each plugin; `class` says which. */
export const pluginSchema = z.discriminatedUnion('class', [
  z.strictObject({
    class: z
      .literal('scheduleFile')
      .meta({ description: 'Jobs, triggers and calendars from files, applied as one unit.' }),
    fileNames: textList().meta({
      description: "The files, relative to the configuration's folder; a list, or with commas.",
    }),
    scanInterval: wholeNumber(0, 86_400)
      .default(0)
      .meta({ description: 'Seconds between two looks whether a file changed; 0 reads it once.' }),
    failOnFileNotFound: flag().default(true).meta({ description: 'Refuse to start when a file is not there.' }),
  }),
  z.strictObject({
    class: z
      .literal('shutdownHook')
      .meta({ description: 'Shuts the scheduler down when the process is asked to end.' }),
    cleanShutdown: flag().default(true).meta({ description: 'Let running jobs finish.' }),
  }),
  z.strictObject({
    class: z
      .literal('jobInterruptMonitor')
      .meta({ description: 'Interrupts jobs whose data say `AutoInterruptable` after their `MaxRunTime`.' }),
    defaultMaxRunTime: wholeNumber(1, 86_400_000)
      .default(300_000)
      .meta({ description: 'How long a job that names no `MaxRunTime` may run, in milliseconds.' }),
  }),
  z.strictObject({
    class: z.literal('loggingJobHistory').meta({ description: 'Logs every execution of a job.' }),
    jobToBeFiredMessage: message('Text before a job runs.'),
    jobSuccessMessage: message('Text after a job ran.'),
    jobFailedMessage: message('Text after a job failed.'),
    jobWasVetoedMessage: message('Text when a listener vetoed a job.'),
  }),
  z.strictObject({
    class: z.literal('loggingTriggerHistory').meta({ description: 'Logs every firing of a trigger.' }),
    triggerFiredMessage: message('Text when a trigger fires.'),
    triggerMisfiredMessage: message('Text when a trigger misfired.'),
    triggerCompleteMessage: message('Text when a firing is complete.'),
  }),
]);
