import { z } from 'zod';
import { INSTANCE_ID_GENERATORS, JOB_FACTORIES, JOB_STORES, THREAD_POOLS } from './class-names';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { flag, nameOf, text, textLike, textList, timeZone, wholeNumber } from './schema-values';

const DAY_MS = 86_400_000;

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
});

/** The keys of `jobStore` that mean something only for a store in a database. */
export const DATABASE_KEYS = {
  dataSource: text(120).optional().describe('Which of the data sources below holds the tables.'),
  path: text(4_096)
    .optional()
    .describe(
      `File of a \`sqlite\` store that names no data source, from the working directory. Default: \`${DEFAULT_SQL.path}\`.`,
    ),
  tablePrefix: textLike(
    /^([A-Za-z0-9_$]{1,64}\.)?[A-Za-z0-9_$]{0,30}$/,
    'letters, digits and _ (at most 30), optionally after a schema and a dot',
  )
    .default(DEFAULT_SQL.tablePrefix)
    .describe('What the names of the tables begin with.'),
  schema: z
    .enum(['never', 'validate', 'create', 'migrate'])
    .optional()
    .describe(
      'What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ' +
        'ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`.',
    ),
  useProperties: flag()
    .default(DEFAULT_SQL.useProperties)
    .describe('Store job data as Properties text, which Java nodes read; string values only.'),
  dbRetryInterval: wholeNumber(100, DAY_MS)
    .default(DEFAULT_SQL.dbRetryInterval)
    .describe('Longest pause between two attempts to store completions or misfires, in milliseconds.'),
  isClustered: flag()
    .optional()
    .describe('A store in a database is always clustered; `false` is accepted with a warning.'),
  clusterCheckinInterval: wholeNumber(500, DAY_MS)
    .default(DEFAULT_SQL.clusterCheckinInterval)
    .describe('How often a node says that it is alive, in milliseconds.'),
  clusterCheckinGrace: wholeNumber(500, DAY_MS)
    .default(DEFAULT_SQL.clusterCheckinGrace)
    .describe('How late a check-in may be before the node counts as failed, in milliseconds.'),
  startTimeout: wholeNumber(0, DAY_MS)
    .default(DEFAULT_SQL.startTimeout)
    .describe(
      'How long a database that cannot be reached is waited for when the scheduler is created, in milliseconds: for containers that start together. Nothing else that is wrong is waited for.',
    ),
  storeThread: flag()
    .default(DEFAULT_SQL.storeThread)
    .describe(
      'Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. ' +
        '`false` for debuggers.',
    ),
  maxMainStall: wholeNumber(0, DAY_MS)
    .default(DEFAULT_SQL.maxMainStall)
    .describe(
      'How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up ' +
        'its lease, in milliseconds; `0`: for ever.',
    ),
  onLeaseLost: z
    .enum(['abort', 'exit-process'])
    .optional()
    .describe(
      'A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. ' +
        'Default: `abort`; for `quartz run`, `exit-process`.',
    ),
  maxRecoveryAttempts: wholeNumber(0, 1_000)
    .default(DEFAULT_SQL.maxRecoveryAttempts)
    .describe('How often a firing is run again when node after node dies with it.'),
};

const alwaysOn = (description: string) => flag().default(true).describe(description);

/** Quartz's switches for what is never off here. */
export const ALWAYS_ON_KEYS = {
  useDBLocks: alwaysOn('Rows are always locked.'),
  lockOnInsert: alwaysOn('Rows are always locked.'),
  acquireTriggersWithinLock: alwaysOn('Triggers are always acquired under the lock.'),
  doubleCheckLockMisfireHandler: alwaysOn('Misfires are always looked for before the lock is taken.'),
  useEnhancedStatements: alwaysOn('Rows are always read and written in sets.'),
};

const jobStore = z.strictObject({
  class: nameOf(JOB_STORES)
    .default(DEFAULT_CONFIG.jobStore.kind)
    .describe(
      '`memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. ' +
        '`mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names.',
    ),
  misfireThreshold: wholeNumber(1, 365 * DAY_MS)
    .default(DEFAULT_CONFIG.jobStore.misfireThreshold)
    .describe('How late a trigger may fire before it has misfired, in milliseconds.'),
  maxMisfiresToHandleAtATime: wholeNumber(1, 100_000)
    .default(DEFAULT_CONFIG.jobStore.maxMisfiresToHandleAtATime)
    .describe('Most misfired triggers handled in one transaction.'),
  ...DATABASE_KEYS,
  ...ALWAYS_ON_KEYS,
});

const dataSource = z.strictObject({
  URL: textLike(
    /^(jdbc:)?((mysql|mariadb):\/\/[^/\s]+|sqlite:\S)/,
    'mysql://host:port/database, mariadb://host:port/database or sqlite:file (with or without jdbc: in front)',
  ).describe('`mysql://host:port/database`, `mariadb://…` or `sqlite:file`; `jdbc:` in front is dropped.'),
  user: text(250).optional().describe('Name to log in with.'),
  password: z.string().max(4_096).optional().describe('Never shown in a message. Better from the environment.'),
  maxConnections: wholeNumber(4, 1_000)
    .default(DEFAULT_SQL.maxConnections)
    .describe(
      'Most connections open at the same time: one that fires, one that completes, one that checks in, the others read. ' +
        'Each is opened when it is needed. Two for SQLite, whatever is written here.',
    ),
});

const message = (description: string) => z.string().min(1).max(4_096).optional().describe(description);

/** The settings of each plugin; `class` says which. */
export const pluginSchema = z.discriminatedUnion('class', [
  z.strictObject({
    class: z.literal('scheduleFile').describe('Jobs, triggers and calendars from files, applied as one unit.'),
    fileNames: textList().describe("The files, relative to the configuration's folder; a list, or with commas."),
    scanInterval: wholeNumber(0, 86_400)
      .default(0)
      .describe('Seconds between two looks whether a file changed; 0 reads it once.'),
    failOnFileNotFound: flag().default(true).describe('Refuse to start when a file is not there.'),
  }),
  z.strictObject({
    class: z.literal('shutdownHook').describe('Shuts the scheduler down when the process is asked to end.'),
    cleanShutdown: flag().default(true).describe('Let running jobs finish.'),
  }),
  z.strictObject({
    class: z
      .literal('jobInterruptMonitor')
      .describe('Interrupts jobs whose data say `AutoInterruptable` after their `MaxRunTime`.'),
    defaultMaxRunTime: wholeNumber(1, 86_400_000)
      .default(300_000)
      .describe('How long a job that names no `MaxRunTime` may run, in milliseconds.'),
  }),
  z.strictObject({
    class: z.literal('loggingJobHistory').describe('Logs every execution of a job.'),
    jobToBeFiredMessage: message('Text before a job runs.'),
    jobSuccessMessage: message('Text after a job ran.'),
    jobFailedMessage: message('Text after a job failed.'),
    jobWasVetoedMessage: message('Text when a listener vetoed a job.'),
  }),
  z.strictObject({
    class: z.literal('loggingTriggerHistory').describe('Logs every firing of a trigger.'),
    triggerFiredMessage: message('Text when a trigger fires.'),
    triggerMisfiredMessage: message('Text when a trigger misfired.'),
    triggerCompleteMessage: message('Text when a firing is complete.'),
  }),
]);

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
  jobStore: jobStore.prefault({}),
  dataSource: z.record(text(120), dataSource).default({}),
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
  plugin: z.record(text(120), pluginSchema).default({}),
});

/** A configuration as the schema leaves it: checked, defaults filled in, still in the shape of the keys. */
export type ConfigTree = z.output<typeof configSchema>;
