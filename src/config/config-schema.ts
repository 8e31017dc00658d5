import { z } from 'zod';
import { timeZoneIn } from '../domain/time/time-zone';
import { INSTANCE_ID_GENERATORS, JOB_FACTORIES, JOB_STORES, THREAD_POOLS } from './class-names';
import { DEFAULT_CONFIG, DEFAULT_SQL } from './default-config';
import { timeZoneNames } from './nearest-time-zone';
import { pluginSchema } from './plugin-schema';
import { flag, nameOf, text, wholeNumber } from './schema-values';

const DAY = 86_400_000;

const scheduler = z.strictObject({
  instanceName: text(120)
    .default(DEFAULT_CONFIG.instanceName)
    .meta({ description: 'Name of the scheduler; all nodes of a cluster share it.' }),
  instanceId: text(190)
    .optional()
    .meta({
      description:
        '`AUTO`: made by the generator below. `SYS_PROP`: read from the environment. Anything else is taken as it is. ' +
        'Default: `NON_CLUSTERED` with the memory store, `AUTO` in a database.',
    }),
  instanceIdGenerator: z
    .strictObject({
      class: nameOf(INSTANCE_ID_GENERATORS).default('simple').meta({
        description:
          '`simple`: host, process and ten random characters. `hostname`: the name of the machine. `environment`: a variable.',
      }),
      systemPropertyName: text(250).default('org.quartz.scheduler.instanceId').meta({
        description:
          'Variable that `environment` and `SYS_PROP` read; also tried in capitals with `_` for every other character.',
      }),
      prepend: text(120).optional().meta({ description: 'Put in front of what `environment` found.' }),
      postpend: text(120).optional().meta({ description: 'Put behind what `environment` found.' }),
    })
    .prefault({})
    .meta({ description: 'How an `instanceId` of `AUTO` is made.' }),
  timeZone: z.string().refine(isTimeZone).optional().meta({
    expected: "an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00'",
    names: timeZoneNames,
    description: "Zone of triggers and calendars that name none. Default: the machine's.",
  }),
  idleWaitTime: wholeNumber(1_000, DAY)
    .default(DEFAULT_CONFIG.idleWaitTime)
    .meta({ description: 'Longest time between two looks into the store, in milliseconds.' }),
  batchTriggerAcquisitionMaxCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.batchTriggerAcquisitionMaxCount)
    .meta({ description: 'Most triggers acquired at once; never more than there are free workers.' }),
  batchTriggerAcquisitionFireAheadTimeWindow: wholeNumber(0, DAY)
    .optional()
    .meta({
      description:
        'How much later than the first of a batch the others may be due, in milliseconds: they share its transactions, and each waits ' +
        `in the node for its own time. More than 1,000 counts as 1,000. Default: ${DEFAULT_SQL.batchTriggerAcquisitionFireAheadTimeWindow}, in memory 0.`,
    }),
  dbFailureRetryInterval: wholeNumber(100, DAY)
    .default(DEFAULT_CONFIG.dbFailureRetryInterval)
    .meta({ description: 'Longest pause of the trigger loop after the store failed, in milliseconds.' }),
  interruptJobsOnShutdown: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdown)
    .meta({ description: 'Abort running jobs at a shutdown that does not wait for them.' }),
  interruptJobsOnShutdownWithWait: flag()
    .default(DEFAULT_CONFIG.interruptJobsOnShutdownWithWait)
    .meta({ description: 'Abort running jobs at a shutdown that waits for them.' }),
  listenerTimeout: wholeNumber(1, DAY)
    .default(DEFAULT_CONFIG.listenerTimeout)
    .meta({ description: 'How long a listener is waited for, in milliseconds.' }),
  shutdownDeadline: wholeNumber(0, DAY)
    .default(DEFAULT_CONFIG.shutdownDeadline)
    .meta({ description: 'How long a shutdown waits for running jobs before it aborts them, in milliseconds.' }),
  maxRefireCount: wholeNumber(0, 1_000_000)
    .default(DEFAULT_CONFIG.maxRefireCount)
    .meta({ description: 'How often one firing may ask to be run again at once.' }),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default(DEFAULT_CONFIG.logLevel)
    .meta({
      description:
        'Least level that is logged, when the scheduler makes its own logger. Plugins, such as the histories, log from `info` on even at `warn`.',
    }),
  jobFactory: z
    .strictObject({
      class: nameOf(JOB_FACTORIES).default('registered').meta({
        description:
          'Jobs are made from the registry. Any other class is refused: set your factory in code by `setJobFactory`.',
      }),
    })
    .prefault({})
    .meta({ description: 'How the objects to execute are made.' }),
});

const threadPool = z.strictObject({
  class: nameOf(THREAD_POOLS).default(DEFAULT_CONFIG.threadPool.kind).meta({
    description:
      '`async`: jobs run side by side on the event loop. `zeroSize`: this node only schedules, and runs nothing.',
  }),
  threadCount: wholeNumber(1, 10_000)
    .default(DEFAULT_CONFIG.threadPool.threadCount)
    .meta({ description: 'Most jobs that run at the same time.' }),
});

const alwaysOn = (description: string) => flag().default(true).meta({ description, alwaysOn: true });

const jobStore = z.strictObject({
  class: nameOf(JOB_STORES)
    .default(DEFAULT_CONFIG.jobStore.kind)
    .meta({
      description:
        '`memory`: lost when the process ends. `sqlite`: kept in a file, which several processes of one machine may share. ' +
        '`mysql`: kept in MySQL or MariaDB, shared by a cluster. `sql`: whichever the URL of the data source names.',
    }),
  misfireThreshold: wholeNumber(1, 365 * DAY)
    .default(DEFAULT_CONFIG.jobStore.misfireThreshold)
    .meta({ description: 'How late a trigger may fire before it has misfired, in milliseconds.' }),
  maxMisfiresToHandleAtATime: wholeNumber(1, 100_000)
    .default(DEFAULT_CONFIG.jobStore.maxMisfiresToHandleAtATime)
    .meta({ description: 'Most misfired triggers handled in one transaction.' }),
  dataSource: text(120)
    .optional()
    .meta({ sql: true, description: 'Which of the data sources below holds the tables.' }),
  path: text(4_096)
    .optional()
    .meta({
      sql: true,
      description: `File of a \`sqlite\` store that names no data source, from the working directory. Default: \`${DEFAULT_SQL.path}\`.`,
    }),
  tablePrefix: z
    .string()
    .regex(/^([A-Za-z0-9_$]{1,64}\.)?[A-Za-z0-9_$]{0,30}$/)
    .default(DEFAULT_SQL.tablePrefix)
    .meta({
      sql: true,
      expected: 'letters, digits and _ (at most 30), optionally after a schema and a dot',
      description: 'What the names of the tables begin with.',
    }),
  schema: z
    .enum(['never', 'validate', 'create', 'migrate'])
    .optional()
    .meta({
      sql: true,
      description:
        'What may be done to the tables at start: nothing, check them, make them where there are none, or also bring older ' +
        'ones up to date. Nothing is ever dropped. Default: `migrate` for `sqlite`, `validate` for `mysql`.',
    }),
  useProperties: flag()
    .default(DEFAULT_SQL.useProperties)
    .meta({ sql: true, description: 'Store job data as Properties text, which Java nodes read; string values only.' }),
  dbRetryInterval: wholeNumber(100, DAY).default(DEFAULT_SQL.dbRetryInterval).meta({
    sql: true,
    description: 'Longest pause between two attempts to store completions or misfires, in milliseconds.',
  }),
  isClustered: flag()
    .optional()
    .meta({ sql: true, description: 'A store in a database is always clustered; `false` is accepted with a warning.' }),
  clusterCheckinInterval: wholeNumber(500, DAY)
    .default(DEFAULT_SQL.clusterCheckinInterval)
    .meta({ sql: true, description: 'How often a node says that it is alive, in milliseconds.' }),
  clusterCheckinGrace: wholeNumber(500, DAY)
    .default(DEFAULT_SQL.clusterCheckinGrace)
    .meta({ sql: true, description: 'How late a check-in may be before the node counts as failed, in milliseconds.' }),
  startTimeout: wholeNumber(0, DAY).default(DEFAULT_SQL.startTimeout).meta({
    sql: true,
    description:
      'How long a database that cannot be reached is waited for when the scheduler is created, in milliseconds: for containers that start together. Nothing else that is wrong is waited for.',
  }),
  storeThread: flag()
    .default(DEFAULT_SQL.storeThread)
    .meta({
      sql: true,
      description:
        'Run the store in a thread of its own, so that a job that blocks this one neither holds a lock nor misses a check-in. ' +
        '`false` for debuggers.',
    }),
  maxMainStall: wholeNumber(0, DAY)
    .default(DEFAULT_SQL.maxMainStall)
    .meta({
      sql: true,
      description:
        'How long jobs may block the main thread, while non-concurrent ones run, before the node counts as hung and gives up ' +
        'its lease, in milliseconds; `0`: for ever.',
    }),
  onLeaseLost: z
    .enum(['abort', 'exit-process'])
    .optional()
    .meta({
      sql: true,
      description:
        'A node that could not check in in time aborts its jobs and joins again (`abort`), or ends its process. ' +
        'Default: `abort`; for `quartz run`, `exit-process`.',
    }),
  maxRecoveryAttempts: wholeNumber(0, 1_000)
    .default(DEFAULT_SQL.maxRecoveryAttempts)
    .meta({ sql: true, description: 'How often a firing is run again when node after node dies with it.' }),
  useDBLocks: alwaysOn('Rows are always locked.'),
  lockOnInsert: alwaysOn('Rows are always locked.'),
  acquireTriggersWithinLock: alwaysOn('Triggers are always acquired under the lock.'),
  doubleCheckLockMisfireHandler: alwaysOn('Misfires are always looked for before the lock is taken.'),
  useEnhancedStatements: alwaysOn('Rows are always read and written in sets.'),
});

const dataSource = z.strictObject({
  URL: z
    .string()
    .regex(/^(jdbc:)?((mysql|mariadb):\/\/[^/\s]+|sqlite:\S)/)
    .meta({
      expected:
        'mysql://host:port/database, mariadb://host:port/database or sqlite:file (with or without jdbc: in front)',
      description: '`mysql://host:port/database`, `mariadb://…` or `sqlite:file`; `jdbc:` in front is dropped.',
    }),
  user: text(250).optional().meta({ description: 'Name to log in with.' }),
  password: z
    .string()
    .max(4_096)
    .optional()
    .meta({ description: 'Never shown in a message. Better from the environment.' }),
  maxConnections: wholeNumber(4, 1_000)
    .default(DEFAULT_SQL.maxConnections)
    .meta({
      description:
        'Most connections open at the same time: one that fires, one that completes, one that checks in, the others read. ' +
        'Each is opened when it is needed. Two for SQLite, whatever is written here.',
    }),
});

/** A URL of a server, or a path; a login without `mysql://` before it is no path, and would be shown as one. */
const SHORT_FORM =
  /^((jdbc:)?(mysql|mariadb):\/\/[^/\s]+\/|(jdbc:)?sqlite:\S|(?![a-z][a-z+]*:\/)(?![^/\\]*:[^/\\]*@)(?!jdbc:)\S)/;

/** Every key once: its type, default, bounds and sentence of documentation. */
export const configSchema = z.strictObject({
  database: z
    .string()
    .regex(SHORT_FORM)
    .max(4_096)
    .optional()
    .meta({
      expected: 'mysql://host:port/database, mariadb://host:port/database, or the path of a SQLite file',
      description:
        'The short form of a store in a database: `mysql://user:password@host:port/database`, `mariadb://…`, or the path of a ' +
        'SQLite file. Stands for `jobStore.class`, `jobStore.dataSource` and the data source; tables are made where there are none.',
    }),
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
            .meta({ description: "A value that jobs and listeners find, as text, in the scheduler's context." }),
        )
        .default({}),
    })
    .prefault({}),
  plugin: z.record(text(120), pluginSchema).default({}),
});

/** A configuration as the schema leaves it: checked, defaults filled in, still in the shape of the keys. */
export type ConfigTree = z.output<typeof configSchema>;

function isTimeZone(name: string): boolean {
  return timeZoneIn(name) !== null;
}
