import { z } from 'zod';
import { PRIORITY_BOUNDS } from '../domain/placement';
import { consoleSchema } from './console-section';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { dataSourceSchema, jobStoreSchema } from './job-store-section';
import { pluginSchema } from './plugin-section';
import { INSTANCE_ID_GENERATORS, JOB_FACTORIES, THREAD_POOLS } from './quartz-names';
import {
  DAY_MS,
  duration,
  flag,
  groupLimits,
  labelsOfNode,
  nameOf,
  readFromTexts,
  retryPolicy,
  text,
  textLike,
  timeZone,
  wholeNumber,
} from './schema-values';

const scheduler = z.strictObject({
  instanceName: text(120)
    .default(DEFAULT_CONFIG.instanceName)
    .describe('Name of the scheduler; all nodes of a cluster share it.'),
  instanceId: text(190)
    .optional()
    .describe(
      '`AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. ' +
        'Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database.',
    ),
  instanceIdGenerator: z
    .strictObject({
      class: nameOf(INSTANCE_ID_GENERATORS)
        .default('simple')
        .describe(
          '`simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable.',
        ),
      systemPropertyName: text(250)
        .default('org.quartz.scheduler.instanceId')
        .describe(
          'Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character.',
        ),
      prepend: text(120).optional().describe('Put in front of what `environment` found.'),
      postpend: text(120).optional().describe('Put behind what `environment` found.'),
    })
    .prefault({})
    .describe('How an `instanceId` of `AUTO` is made.'),
  timeZone: timeZone().optional().describe("Zone of triggers and calendars that name none. Default: the machine's."),
  onDeclaredEdit: z
    .enum(['override', 'codeWins', 'refuse'])
    .default(DEFAULT_CONFIG.onDeclaredEdit)
    .describe(
      'Handling of an edit by hand of a job, trigger or calendar that code or a schedule file declares. `override`: it stays until it is dropped. ' +
        '`codeWins`: the next declaration undoes it. `refuse`: it is refused. A set or a file may say otherwise.',
    ),
  programVersion: text(100)
    .optional()
    .describe('Version of the program, shown beside the jobs and triggers that it declares.'),
  idleWaitTime: wholeNumber(1_000, DAY_MS)
    .default(DEFAULT_CONFIG.idleWaitTime)
    .describe('Longest time between two looks into the store, in milliseconds.'),
  batchTriggerAcquisitionMaxCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.batchTriggerAcquisitionMaxCount)
    .describe('Most triggers acquired at once; never more than there are free workers.'),
  batchTriggerAcquisitionFireAheadTimeWindow: wholeNumber(0, DAY_MS)
    .optional()
    .describe(
      'How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits ' +
        `in the node for its own time. More than 1,000 counts as 1,000. Default: ${DEFAULT_SQL.batchTriggerAcquisitionFireAheadTimeWindow}, in memory 0.`,
    ),
  dbFailureRetryInterval: wholeNumber(100, DAY_MS)
    .default(DEFAULT_CONFIG.dbFailureRetryInterval)
    .describe('Longest pause of the trigger loop after the store failed, in milliseconds.'),
  interruptJobsOnShutdown: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdown)
    .describe('Abort running jobs at a shutdown that does not wait for them.'),
  interruptJobsOnShutdownWithWait: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdownWithWait)
    .describe('Abort running jobs at a shutdown that waits for them.'),
  listenerTimeout: wholeNumber(1, DAY_MS)
    .default(DEFAULT_CONFIG.listenerTimeout)
    .describe('How long a listener is waited for, in milliseconds.'),
  shutdownDeadline: wholeNumber(0, DAY_MS)
    .default(DEFAULT_CONFIG.shutdownDeadline)
    .describe('How long a shutdown waits for running jobs before it aborts them, in milliseconds.'),
  maxRefireCount: wholeNumber(0, 1_000_000)
    .default(DEFAULT_CONFIG.maxRefireCount)
    .describe('How often one firing may ask to be run again at once.'),
  labels: labelsOfNode()
    .optional()
    .describe(
      'What this node is or has, for jobs and triggers that name labels (`runsOn`, `prefers`): a list of at most 50 texts of 200 characters. ' +
        'Each node also has the label `node:<instanceId>`. Default: no other.',
    ),
  priorities: z
    .strictObject({
      min: wholeNumber(PRIORITY_BOUNDS.min, PRIORITY_BOUNDS.max).optional().describe('Least priority. Default: any.'),
      max: wholeNumber(PRIORITY_BOUNDS.min, PRIORITY_BOUNDS.max).optional().describe('Highest priority. Default: any.'),
    })
    .refine(({ min, max }) => min === undefined || max === undefined || min <= max, { error: 'min not above max' })
    .optional()
    .describe('Only triggers of these priorities are fired by this node.'),
  retry: readFromTexts(retryPolicy('the scheduler'))
    .optional()
    .describe(
      'How often, and after which pauses, a run that failed is tried again, where neither its trigger nor its job says it. Default: never.',
    ),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default(DEFAULT_CONFIG.logLevel)
    .describe(
      'Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`.',
    ),
  jobFactory: z
    .strictObject({
      class: nameOf(JOB_FACTORIES)
        .default('registered')
        .describe(
          'Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`.',
        ),
    })
    .prefault({})
    .describe('How the objects to execute are made.'),
});

const threadPool = z.strictObject({
  class: nameOf(THREAD_POOLS)
    .default(DEFAULT_CONFIG.threadPool.kind)
    .describe(
      '`async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing.',
    ),
  threadCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.threadPool.threadCount)
    .describe('Most jobs that run at the same time.'),
  workerThreads: wholeNumber(1, 1_000)
    .optional()
    .describe(
      'Most threads in which jobs of files (`workerJob`) run at the same time; a run that finds none free waits. Threads are made when they are ' +
        'needed, and end after 10 s without work. Default: as `threadCount`.',
    ),
  groupLimits: groupLimits(0)
    .optional()
    .describe(
      'How many runs of the jobs of a group may execute at once on this node, by the names of groups: `{ reports: 2 }`; `0`: none, they are for other nodes. ' +
        'Default: no group has a limit.',
    ),
});

const alerts = z.strictObject({
  lateAfter: duration('366d', 1)
    .optional()
    .describe(
      'A run that begins later than this after its scheduled time is told of (`firingLate`). Default: none is.',
    ),
  stuckAfter: duration('366d', 1)
    .optional()
    .describe(
      'A run that goes on for longer than this is told of once (`jobStuck`), by the node that runs it. Default: none is.',
    ),
});

/** A URL of a server, or a path; a login without `mysql://` before it is no path, and would be shown as one. */
const SHORT_FORM =
  /^((jdbc:)?(mysql|mariadb):\/\/[^/\s]+\/|(jdbc:)?sqlite:\S|(?![a-z][a-z+]*:\/)(?![^/\\]*:[^/\\]*@)(?!jdbc:)\S)/;

/** Every key once: its type, default, bounds and sentence of documentation. */
export const configSchema = z.strictObject({
  database: textLike(
    SHORT_FORM,
    'mysql://host:port/database, mariadb://host:port/database, or the path of a SQLite file',
  )
    .max(4_096)
    .optional()
    .describe(
      'The short form of a store in a database: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a ' +
        'SQLite file. Stands for `jobStore.class`, `jobStore.dataSource` and the data source; tables are made where there are none.',
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
            .describe("A value that jobs and listeners find, as text, in the scheduler's context."),
        )
        .default({}),
    })
    .prefault({}),
  alerts: alerts.prefault({}),
  console: consoleSchema.prefault({}),
  plugin: z.record(text(120), pluginSchema).default({}),
});

/** A configuration as the schema leaves it: checked, defaults filled in, still in the shape of the keys. */
export type ConfigTree = z.output<typeof configSchema>;
