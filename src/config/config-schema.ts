import { z } from 'zod';
import { DAY_MS } from '../base/clock';
import { SERVER_URL_FORMS } from '../base/database-kinds';
import { problemOfUrlOrPath } from '../base/database-url';
import { PRIORITY_BOUNDS } from '../domain/placement';
import { DEFAULT_RULES } from '../domain/rules';
import { consoleSchema } from './console-section';
import { dataSourceSchema } from './data-source-section';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { jobStoreSchema } from './job-store-section';
import { pluginSchema } from './plugin-section';
import { INSTANCE_ID_GENERATORS, JOB_FACTORIES, THREAD_POOLS } from './quartz-names';
import {
  duration,
  flag,
  groupLimits,
  labelsOfNode,
  nameOf,
  readFromTexts,
  retryPolicy,
  text,
  timeZone,
  urlLike,
  wholeNumber,
} from './schema-values';

const scheduler = z.strictObject({
  instanceName: text(120)
    .default(DEFAULT_CONFIG.instanceName)
    .describe('Name of the scheduler. All nodes of a cluster use the same name.'),
  instanceId: text(190)
    .optional()
    .describe(
      '`AUTO`: generated, see `instanceIdGenerator`. `SYS_PROP`: read from the environment. Any other text is the id itself. ' +
        'Default: `NON_CLUSTERED` with the memory store, `AUTO` with a database.',
    ),
  instanceIdGenerator: z
    .strictObject({
      class: nameOf(INSTANCE_ID_GENERATORS)
        .default('simple')
        .describe(
          '`simple`: host name, process id and ten random characters. `hostname`: the host name. `environment`: an environment variable.',
        ),
      systemPropertyName: text(250)
        .default('org.quartz.scheduler.instanceId')
        .describe(
          'Environment variable for `environment` and `SYS_PROP`. Also tried in capitals, with `_` for each character that is not a letter or digit.',
        ),
      prepend: text(120).optional().describe('Prefix of the id from `environment`.'),
      postpend: text(120).optional().describe('Suffix of the id from `environment`.'),
    })
    .prefault({})
    .describe('Generator of the instance id, if `instanceId` is `AUTO`.'),
  timeZone: timeZone()
    .optional()
    .describe('Time zone of triggers and calendars without one. Default: the time zone of the machine.'),
  rules: z
    .enum(['safe', 'quartz'])
    .default(DEFAULT_CONFIG.policy.rules ?? DEFAULT_RULES)
    .describe(
      '`safe`: nothing fires after its end, at an excluded time, or for a time before its schedule was stored or changed, unless a user requests it. ' +
        '`quartz`: fire times and misfires exactly as in Quartz 2.3, for clusters with Java nodes. The first node stores the value in the database, and a node with another is refused; `quartz rules set` changes it.',
    ),
  clockChanges: z
    .enum(['quartz', 'natural'])
    .default(DEFAULT_CONFIG.policy.defaultClockChanges ?? 'quartz')
    .describe(
      'Clock changes of cron triggers that are stored without their own `clockChanges`. `quartz`: as in Quartz. `natural`: fixed hours run once, after the gap ' +
        'or first; hours with `*` or `/` run through. The first node stores the value, as for `scheduler.rules`. Stored triggers keep theirs until they are declared or changed again.',
    ),
  onDeclaredEdit: z
    .enum(['override', 'codeWins', 'refuse'])
    .default(DEFAULT_CONFIG.onDeclaredEdit)
    .describe(
      'Handling of a manual edit of a job, trigger or calendar that code or a schedule file declares. `override`: the edit is kept until someone drops it. ' +
        '`codeWins`: the next declaration reverts it. `refuse`: the edit is rejected. A set or a file can override this setting.',
    ),
  programVersion: text(100)
    .optional()
    .describe('Version of your program, shown with the jobs and triggers that it declares.'),
  idleWaitTime: wholeNumber(1_000, DAY_MS)
    .default(DEFAULT_CONFIG.idleWaitTime)
    .describe('Longest interval between two polls of the store, in milliseconds.'),
  batchTriggerAcquisitionMaxCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.batchTriggerAcquisitionMaxCount)
    .describe('Maximum number of triggers acquired at once, limited by the number of free workers.'),
  batchTriggerAcquisitionFireAheadTimeWindow: wholeNumber(0, DAY_MS)
    .optional()
    .describe(
      'Batch window in milliseconds: triggers due within this time after the first of a batch share its transactions, and each still fires ' +
        `at its own time. At most 1,000; larger values count as 1,000. Default: ${DEFAULT_SQL.batchTriggerAcquisitionFireAheadTimeWindow}, with the memory store 0.`,
    ),
  dbFailureRetryInterval: wholeNumber(100, DAY_MS)
    .default(DEFAULT_CONFIG.dbFailureRetryInterval)
    .describe('Longest pause of the trigger loop after a store failure, in milliseconds.'),
  interruptJobsOnShutdown: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdown)
    .describe('Abort running jobs on a shutdown that does not wait for them.'),
  interruptJobsOnShutdownWithWait: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdownWithWait)
    .describe('Abort running jobs on a shutdown that waits for them.'),
  listenerTimeout: wholeNumber(1, DAY_MS)
    .default(DEFAULT_CONFIG.listenerTimeout)
    .describe('Timeout of a listener call, in milliseconds.'),
  shutdownDeadline: wholeNumber(0, DAY_MS)
    .default(DEFAULT_CONFIG.shutdownDeadline)
    .describe('Maximum time that a shutdown waits for running jobs before it aborts them, in milliseconds.'),
  maxFactoryRefusals: wholeNumber(1, 1_000_000)
    .default(DEFAULT_CONFIG.maxFactoryRefusals)
    .describe('Number of times that job factories, on any nodes, may refuse an attempt until it has failed.'),
  maxHandOvers: wholeNumber(0, 1_000_000)
    .default(DEFAULT_CONFIG.maxHandOvers)
    .describe(
      'Maximum number of hand-overs of one attempt without a new checkpoint, when shutdowns cut its runs short.',
    ),
  maxRefireCount: wholeNumber(0, 1_000_000)
    .default(DEFAULT_CONFIG.maxRefireCount)
    .describe('Maximum number of immediate refires of one firing.'),
  labels: labelsOfNode()
    .optional()
    .describe(
      'Labels of this node, which jobs and triggers refer to in `runsOn` and `prefers`: a list of at most 50 texts of up to 200 characters. ' +
        'Each node also has the label `node:<instanceId>`. Default: no other labels.',
    ),
  priorities: z
    .strictObject({
      min: wholeNumber(PRIORITY_BOUNDS.min, PRIORITY_BOUNDS.max).optional().describe('Lowest priority. Default: any.'),
      max: wholeNumber(PRIORITY_BOUNDS.min, PRIORITY_BOUNDS.max).optional().describe('Highest priority. Default: any.'),
    })
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
      error: 'a priority of at most max',
      path: ['min'],
    })
    .optional()
    .describe('This node fires only triggers with these priorities.'),
  retry: readFromTexts(retryPolicy('the scheduler'))
    .optional()
    .describe(
      'Retry policy of failed runs whose trigger and job have none: the number of retries and the delays between them. Default: no retries.',
    ),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default(DEFAULT_CONFIG.logLevel)
    .describe(
      'Lowest level that is logged, if you pass no logger. Plugins such as the logging histories log from `info` on, even at `warn`.',
    ),
  jobFactory: z
    .strictObject({
      class: nameOf(JOB_FACTORIES)
        .default('registered')
        .describe(
          '`registered`: jobs are created from the registered job types. Other values are rejected: set your own factory in code with `setJobFactory`.',
        ),
    })
    .prefault({})
    .describe('Creation of job objects.'),
});

const threadPool = z.strictObject({
  class: nameOf(THREAD_POOLS)
    .default(DEFAULT_CONFIG.threadPool.kind)
    .describe('`async`: jobs run concurrently on the event loop. `zeroSize`: this node schedules but runs no jobs.'),
  threadCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.threadPool.threadCount)
    .describe('Maximum number of jobs that run at the same time.'),
  workerThreads: wholeNumber(1, 1_000)
    .optional()
    .describe(
      'Maximum number of threads for jobs in files (`workerJob`); a run waits if no thread is free. Threads are started when they are ' +
        'needed, and end after 10 s without work. Default: `threadCount`.',
    ),
  groupLimits: groupLimits(0)
    .optional()
    .describe(
      'Maximum number of concurrent runs per job group on this node, such as `{ reports: 2 }`. `0`: this node runs no jobs of the group. ' +
        'Default: no limits.',
    ),
});

const alerts = z.strictObject({
  lateAfter: duration('366d', 1)
    .optional()
    .describe('Report a run that begins later than this after its scheduled time, as `firingLate`. Default: off.'),
  stuckAfter: duration('366d', 1)
    .optional()
    .describe('Report a run that takes longer than this, once, as `jobStuck`. Default: off.'),
});

/** All configuration keys, with their types, defaults, bounds and descriptions. */
export const configSchema = z.strictObject({
  database: urlLike(problemOfUrlOrPath, `${SERVER_URL_FORMS}, or the path of a SQLite file`)
    .optional()
    .describe(
      'Short form of a database store: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a ' +
        'SQLite file. Replaces `jobStore.class`, `jobStore.dataSource` and the data source. Missing tables are created.',
    ),
  scheduler: scheduler.prefault({}),
  threadPool: threadPool.prefault({}),
  jobStore: jobStoreSchema.prefault({}),
  dataSource: z.record(text(120), dataSourceSchema).default({}),
  context: z
    .strictObject({
      key: z
        .record(
          text(250),
          z
            .union([z.string(), z.number(), z.boolean()])
            .transform(String)
            .describe("A value that jobs and listeners can read, as text, in the scheduler's context."),
        )
        .default({}),
    })
    .prefault({}),
  alerts: alerts.prefault({}),
  console: consoleSchema.prefault({}),
  plugin: z.record(text(120), pluginSchema).default({}),
});

/** Output of the schema: checked values with defaults filled in, nested as the configuration keys are. */
export type ConfigTree = z.output<typeof configSchema>;
