import { hostname } from 'node:os';
import { configSchema } from '../../../src/config/config-schema';
import { DEFAULT_CONFIG } from '../../../src/config/default-config';
import { loadConfig } from '../../../src/config/load-config';
import { ConfigurationError } from '../../../src/config/problem';
import { parseDocument } from '../../../src/config/read-document';
import { resolveDocument } from '../../../src/config/resolve-config';
import type { Environment } from '../../../src/config/scheduler-config';

const load = async (text: string, { env = {}, file = 'conf/quartz.yaml' }: { env?: Environment; file?: string } = {}) =>
  resolveDocument(await parseDocument(text, file), env);

async function problemsOf(text: string, options?: Parameters<typeof load>[1]): Promise<readonly string[]> {
  const error = await load(text, options).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigurationError)) throw new Error(`expected a ConfigurationError, got ${String(error)}`);
  return error.message.split('\n').filter((line) => !/^\d+ problems:$/.test(line));
}

describe('loadConfig without a source', () => {
  it('returns the defaults and the time zone of the machine', async () => {
    await expect(loadConfig()).resolves.toEqual({
      config: { ...DEFAULT_CONFIG, timeZone: 'UTC', timeZoneDefaulted: true },
      warnings: [],
    });
  });

  it('returns the same as for an empty object, so schema and defaults agree', async () => {
    const { config } = await loadConfig({});
    expect(config).toEqual((await loadConfig()).config);
    expect(Object.keys(config).sort()).toEqual(
      [...Object.keys(DEFAULT_CONFIG), 'timeZone', 'timeZoneDefaulted'].sort(),
    );
    const named = await loadConfig({ scheduler: { timeZone: 'UTC' } });
    expect(named.config).toEqual({ ...config, timeZoneDefaulted: false });
  });
});

describe('keys of the configuration', () => {
  const expected = { instanceName: 'Mine', threadPool: { kind: 'async', threadCount: 10 } };

  it.each([
    ['nested', 'scheduler: {instanceName: Mine}\nthreadPool: {threadCount: 10}'],
    [
      'nested with the prefix org.quartz',
      'org:\n  quartz:\n    scheduler: {instanceName: Mine}\n    threadPool: {threadCount: 10}',
    ],
    ['dotted', 'scheduler.instanceName: Mine\nthreadPool.threadCount: 10'],
    [
      'dotted with the prefix org.quartz',
      'org.quartz.scheduler.instanceName: Mine\norg.quartz.threadPool.threadCount: 10',
    ],
    ['mixed', 'org.quartz:\n  scheduler.instanceName: Mine\nthreadPool: {threadCount: "10"}'],
  ])('may be written %s', async (_, text) => {
    expect((await load(text)).config).toMatchObject(expected);
  });

  it('may be written in a .properties file', async () => {
    const text = 'org.quartz.scheduler.instanceName = Mine\norg.quartz.threadPool.threadCount = 10\n';
    expect((await load(text, { file: 'quartz.properties' })).config).toMatchObject(expected);
  });

  it('may be given as an object', async () => {
    const { config } = await loadConfig({
      'org.quartz.scheduler': { instanceName: 'Mine' },
      threadPool: { threadCount: 10 },
    });
    expect(config).toMatchObject(expected);
  });

  it('are refused in two forms of the same key', async () => {
    expect(await problemsOf('threadPool.threadCount: 1\nthreadPool: {threadCount: 2}')).toEqual([
      "conf/quartz.yaml:2:14 threadPool.threadCount: expected each key once, found 'threadPool.threadCount' again in another spelling",
    ]);
  });

  it('are refused if a value is set where other keys are nested', async () => {
    const text = 'plugin.a = x\nplugin.a.class = shutdownHook\n';
    expect(await problemsOf(text, { file: 'q.properties' })).toContain(
      'q.properties:2:1 plugin.a.class: expected either a value or nested keys, found both',
    );
  });

  it('result in a deeply frozen configuration', async () => {
    const { config } = await load('context.key.a: 1\nplugin.s: {class: scheduleFile, fileNames: [a]}');
    expect(Object.isFrozen(config.context)).toBe(true);
    expect(Object.isFrozen(config.plugins[0]?.settings.fileNames)).toBe(true);
  });
});

describe('retry and history settings', () => {
  const policyOf = async (text: string, options?: Parameters<typeof load>[1]) =>
    (await load(text, options)).config.policy;
  const MINUTE_MS = 60_000;

  it('request no retries and record failures by default', async () => {
    expect(await policyOf('{}')).toEqual({ retry: { max: 0, delays: [] }, history: 'failures' });
  });

  it.each([
    'jobStore: { historyGroups: { noisy: none, billing: all, "a.b": true } }',
    'jobStore.historyGroups.noisy: "false"\njobStore.historyGroups.billing: all\njobStore.historyGroups.a.b: all',
  ])('set the history mode of job groups: %s', async (text) => {
    expect((await load(text)).config.policy.historyOfGroups).toEqual({ noisy: 'none', billing: 'all', 'a.b': 'all' });
  });

  it.each([
    'jobStore: { groupLimits: { reports: 5, "a.b": 20 } }\nthreadPool: { groupLimits: { reports: 0 } }',
    'jobStore.groupLimits.reports: "5"\norg.quartz.jobStore.groupLimits.a.b: 20\nthreadPool.groupLimits.reports: "0"',
  ])('set the limits of job groups: %s', async (text) => {
    const { policy, threadPool } = (await load(text)).config;
    expect([policy.groupLimits, threadPool.groupLimits]).toEqual([{ reports: 5, 'a.b': 20 }, { reports: 0 }]);
  });

  it.each([
    ['R5/PT5M', { max: 5, delays: [5 * MINUTE_MS] }],
    ['3', { max: 3, delays: [MINUTE_MS] }],
    ['"3"', { max: 3, delays: [MINUTE_MS] }],
    ['false', { max: 0, delays: [] }],
    ['[1m, PT5M, 3600000]', { max: 3, delays: [MINUTE_MS, 5 * MINUTE_MS, 60 * MINUTE_MS] }],
    [
      '{ max: 4, delay: 1s, factor: 1.5, jitter: "0.2", maxAge: P1D }',
      { max: 4, delays: [1_000], factor: 1.5, jitter: 0.2, maxAge: 86_400_000 },
    ],
  ])('accept the retry policy %s', async (text, retry) => {
    expect((await policyOf(`scheduler: { retry: ${text} }`)).retry).toEqual(retry);
  });

  it('can be read from .properties, which contain only texts', async () => {
    const file = 'quartz.properties';
    const key = 'org.quartz.scheduler.retry';
    expect((await policyOf(`${key} = 1m, 5m`, { file })).retry.delays).toEqual([MINUTE_MS, 5 * MINUTE_MS]);
    expect((await policyOf(`${key}=false\norg.quartz.jobStore.history=true`, { file })).history).toBe('all');
    const parts = await policyOf(`${key}.max = 2\n${key}.delay = 10s\n${key}.factor = 1.5`, { file });
    expect(parts.retry).toEqual({ max: 2, delays: [10_000], factor: 1.5 });
  });

  it.each([
    ['all', 'all'],
    ['failures', 'failures'],
    ['none', 'none'],
    ['true', 'all'],
    ['false', 'none'],
  ])('accept the history mode %s', async (text, history) => {
    expect((await policyOf(`jobStore: { history: ${text} }`)).history).toBe(history);
  });

  it.each([
    ['PT12H', 12 * 60 * MINUTE_MS],
    ['45d', 45 * 86_400_000],
    ['5000', 5_000],
    ['"5000"', 5_000],
  ])('accept a retention of %s', async (text, milliseconds) => {
    const { config } = await load(`jobStore: { historyRetention: ${text}, deadLetterRetention: ${text} }`);
    expect(config.jobStore.history).toEqual({
      retentionMs: milliseconds,
      maxCount: 1_000_000,
      maxBytes: 32 * 1024 * 1024,
      deadLetterRetentionMs: milliseconds,
      actionRetentionMs: 90 * 86_400_000,
    });
  });

  it('are the same in memory and in a database', async () => {
    const keys = 'history: all, historyRetention: 1d, historyMaxCount: 10';
    const memory = (await load(`jobStore: { ${keys} }`)).config;
    const sqlite = (await load(`jobStore: { class: sqlite, ${keys} }`)).config;
    expect(memory.jobStore.history).toEqual({
      retentionMs: 86_400_000,
      maxCount: 10,
      maxBytes: 32 * 1024 * 1024,
      deadLetterRetentionMs: 365 * 86_400_000,
      actionRetentionMs: 90 * 86_400_000,
    });
    expect([sqlite.jobStore.history, sqlite.policy]).toEqual([memory.jobStore.history, memory.policy]);
  });

  const RETRY =
    'expected R5/PT5M (five retries, five minutes apart), a list of delays, a number of retries, { max, delay, factor, jitter, maxAge, calendar }, or false';
  const DURATION = 'expected milliseconds, or a duration such as 90s, PT5M or P30D, of at most';

  it.each([
    ['scheduler.retry: often', `1:18 scheduler.retry: ${RETRY}, found 'often'`],
    ['scheduler.retry: true', `1:18 scheduler.retry: ${RETRY}, found true`],
    ['scheduler.retry: []', '1:18 scheduler.retry: expected a non-empty list, found an empty list'],
    ['scheduler.retry: 5000', '1:18 scheduler.retry: expected a number of at most 1000, found 5000'],
    [
      'scheduler.retry: R5000/PT1M',
      '1:18 scheduler.retry: expected a whole number from 0 to 1000 as max for the retries of the scheduler, found 5000',
    ],
    [
      'scheduler.priorities: { min: 7, max: 3 }',
      'scheduler.priorities.min: expected a priority of at most max, found 7',
    ],
    ['context: { keys: {} }', "context.keys: expected the key 'key', found 'keys'; did you mean 'key'?"],
    ['scheduler.retry: R5/PXM', '1:18 scheduler.retry: expected a duration of at most 366 days'],
    ['scheduler.retry: [1m, soon]', `1:23 scheduler.retry[1]: ${DURATION} 366d, found 'soon'`],
    ['scheduler: { retry: { max: 2, delay: 400d } }', `1:38 scheduler.retry.delay: ${DURATION} 366d, found '400d'`],
    ['scheduler: { retry: { max: 2, factr: 2 } }', "did you mean 'factor'?"],
    ['scheduler: { retry: { max: 2, jitter: 3 } }', '1:39 scheduler.retry.jitter: expected a number of at most 1'],
    [
      'jobStore: { history: some }',
      "1:22 jobStore.history: expected all, failures or none (true means all, false means none), found 'some'",
    ],
    [
      'jobStore: { historyGroups: { noisy: some } }',
      "1:37 jobStore.historyGroups.noisy: expected all, failures or none (true means all, false means none), found 'some'",
    ],
    ['jobStore: { groupLimits: { a: 0 } }', '1:31 jobStore.groupLimits.a: expected a number of at least 1, found 0'],
    ['threadPool: { groupLimits: { a: -1 } }', '1:33 threadPool.groupLimits.a: expected a number of at least 0'],
    [
      'threadPool: { groupLimits: 2 }',
      '1:28 threadPool.groupLimits: expected a whole number from 0 to 10,000 for each job group',
    ],
    ['jobStore: { historyRetention: 0 }', `1:31 jobStore.historyRetention: ${DURATION} 3660d, found 0`],
    ['jobStore: { historyRetention: 20y }', `1:31 jobStore.historyRetention: ${DURATION} 3660d, found '20y'`],
    ['jobStore: { deadLetterRetention: P11Y }', `1:34 jobStore.deadLetterRetention: ${DURATION} 3660d, found 'P11Y'`],
    ['jobStore: { historyMaxCount: -1 }', '1:30 jobStore.historyMaxCount: expected a number of at least 0, found -1'],
  ])('refuse %s', async (text, problem) => {
    const problems = await problemsOf(text);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('variables and references in the configuration', () => {
  const env = { NAME: 'billing', COUNT: '7', EMPTY: '', DB_PASSWORD: 'hunter2' };

  it('are replaced by environment variables, with defaults for missing and empty ones', async () => {
    const text = `scheduler.instanceName: a-\${NAME}-\${NONE:-none}-\${EMPTY:-empty}\nthreadPool.threadCount: \${COUNT}`;
    const { config } = await load(text, { env });
    expect(config.instanceName).toBe('a-billing-none-empty');
    expect(config.threadPool.threadCount).toBe(7);
  });

  it(`are replaced within lists, except for an escaped $\${`, async () => {
    const text = `plugin.s: {class: scheduleFile, fileNames: ["/\${NAME}.yaml", "/$\${NAME}.yaml"]}`;
    const { config } = await load(text, { env });
    expect(config.plugins[0]?.settings.fileNames).toEqual(['/billing.yaml', `/\${NAME}.yaml`]);
  });

  it('that are missing are named in the error, with a fix', async () => {
    expect(await problemsOf(`scheduler.instanceName: \${NONE}`)).toEqual([
      `conf/quartz.yaml:1:25 scheduler.instanceName: expected the environment variable NONE to be set, but it is not; set it, or write \${NONE:-default}`,
    ]);
  });

  it('with an invalid name in braces are refused', async () => {
    expect((await problemsOf(`scheduler.instanceName: \${a b}`))[0]).toMatch(
      /expected \$\{NAME\} or \$\{NAME:-default\}/,
    );
  });

  it('are replaced by the value of another key, even of an unknown one', async () => {
    const text =
      'my.count: 9\norg.quartz.threadPool.threadCount: $@my.count\nscheduler.maxRefireCount: $@threadPool.threadCount';
    const { config } = await load(text);
    expect(config.threadPool.threadCount).toBe(9);
    expect(config.maxRefireCount).toBe(9);
  });

  it('to missing keys or in a cycle are refused', async () => {
    const text =
      'scheduler:\n  instanceName: $@schduler.instanceId\n  instanceId: a\n  idleWaitTime: $@scheduler.listenerTimeout\n  listenerTimeout: $@scheduler.idleWaitTime';
    expect(await problemsOf(text)).toEqual([
      "conf/quartz.yaml:2:17 scheduler.instanceName: expected the name of another key after $@, found 'schduler.instanceId'; did you mean 'scheduler.instanceId'?",
      "conf/quartz.yaml:4:17 scheduler.idleWaitTime: expected the name of another key after $@, found a cycle through 'scheduler.idleWaitTime'",
      "conf/quartz.yaml:5:20 scheduler.listenerTimeout: expected the name of another key after $@, found a cycle through 'scheduler.idleWaitTime'",
    ]);
  });

  it.each([
    ['in a password key', 'dataSource.d: {URL: "sqlite:x", password: [hunter2]}'],
    ['in a password variable', `scheduler.idleWaitTime: \${DB_PASSWORD}`],
    ['behind a reference', 'my.password: hunter2\nscheduler.idleWaitTime: $@my.password'],
    ['inside a URL', 'dataSource.d.URL: "http://root:hunter2@db/x"'],
    ['as an unknown key', 'dataSource.d: {URL: "sqlite:x", pasword: hunter2}'],
  ])('never show a secret %s', async (_, text) => {
    const problems = await problemsOf(text, { env });
    expect(problems.join('\n')).not.toContain('hunter2');
    expect(problems).toHaveLength(1);
  });
});

describe('sections of the configuration', () => {
  it.each([
    ['threadPool.class: org.quartz.simpl.SimpleThreadPool', { threadPool: { kind: 'async', threadCount: 25 } }],
    ['threadPool.class: org.quartz.simpl.ZeroSizeThreadPool', { threadPool: { kind: 'zeroSize', threadCount: 0 } }],
    ['jobStore.class: org.quartz.simpl.RAMJobStore', { jobStore: { kind: 'memory' } }],
    [
      'jobStore.class: sqlite',
      { jobStore: { kind: 'sqlite', sql: { schema: 'migrate', dataSource: { url: 'sqlite:./quartz.db' } } } },
    ],
    ['jobStore: {class: sqlite, path: /x/y.db}', { jobStore: { sql: { dataSource: { url: 'sqlite:/x/y.db' } } } }],
    [
      'jobStore: {class: mysql, dataSource: d, storeThread: false, onLeaseLost: exit-process}\ndataSource.d.URL: mysql://h/q',
      { jobStore: { sql: { schema: 'validate', storeThread: false, onLeaseLost: 'exit-process' } } },
    ],
    ['jobStore: {class: sqlite, schema: migrate}', { jobStore: { sql: { schema: 'migrate', onLeaseLost: null } } }],
    [
      'jobStore: {class: org.quartz.impl.jdbcjobstore.JobStoreTX, dataSource: d}\ndataSource.d: {URL: "jdbc:mysql://h:1/q", user: u, password: p}',
      {
        jobStore: { kind: 'mysql', sql: { dataSource: { name: 'd', url: 'mysql://h:1/q', user: 'u', password: 'p' } } },
      },
    ],
    ['jobStore: {class: sql, dataSource: d}\ndataSource.d.URL: mariadb://h/q', { jobStore: { kind: 'mysql' } }],
    ['jobStore: {class: sql, dataSource: d}\ndataSource.d.URL: sqlite:./q.db', { jobStore: { kind: 'sqlite' } }],
    ['scheduler.jobFactory.class: org.quartz.simpl.PropertySettingJobFactory', {}],
  ])('select a module by its class: %s', async (text, expected) => {
    expect((await load(text)).config).toMatchObject(expected);
  });

  it.each([
    ['jobStore.class: RAMJobStor', /expected one of memory, sqlite, mysql, sql, found 'RAMJobStor'$/],
    [
      'jobStore.class: mysql',
      /jobStore\.dataSource: expected the URL of a database, found none\. Write dataSource\.main\.URL = .* and jobStore\.dataSource = main, or pass a pool/,
    ],
    [
      'jobStore: {class: sql, dataSource: mane}\ndataSource.main.URL: sqlite:x',
      /expected the name of a data source \(main\), found 'mane'; did you mean 'main'\?$/,
    ],
    [
      'jobStore: {class: sql, dataSource: d, path: x.db}\ndataSource.d.URL: sqlite:x',
      /jobStore\.path: expected a path only for jobStore\.class sqlite without a data source/,
    ],
    [
      'jobStore: {class: mysql, dataSource: d}\ndataSource.d.URL: sqlite:x',
      /dataSource\.d\.URL: expected a mysql URL, because jobStore\.class is mysql, found a sqlite URL$/,
    ],
    [
      'plugin.a.class: loggingHistory',
      /expected one of scheduleFile, shutdownHook, jobInterruptMonitor, loggingJobHistory, loggingTriggerHistory, .*found 'loggingHistory'; did you mean 'loggingJobHistory'\?$/,
    ],
    ['plugin.a: {cleanShutdown: true}', /plugin\.a\.class: expected one of scheduleFile/],
  ])('refuse a wrong class or setting: %s', async (text, message) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('cause a warning for plugins of the user, which must be passed in code', async () => {
    const { config, warnings } = await load(
      'plugin.a: {class: com.acme.Audit, level: 5}\nplugin.b.class: shutdownHook',
    );
    expect(config.plugins.map(({ name }) => name)).toEqual(['b']);
    expect(warnings).toEqual([expect.stringMatching(/plugin\.a \(pass your own plugins in code/)]);
  });

  it('are checked together, and all problems are reported', async () => {
    const text =
      'threadPool.threadCount: many\nscheduler: {instanceId: SYS_PROP}\njobStore: {class: sql, dataSource: mian}\n' +
      'dataSource.main.URL: sqlite:x\nplugin.a.class: scheduleFil';
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/threadCount: expected a number, found 'many'/),
      expect.stringMatching(/instanceId: expected the instance id in the environment variable/),
      expect.stringMatching(/did you mean 'main'/),
      expect.stringMatching(/did you mean 'scheduleFile'/),
    ]);
  });

  it('refuse a generated instance id that is too long for its column', async () => {
    const text =
      'scheduler: {instanceId: SYS_PROP, instanceIdGenerator: {systemPropertyName: POD, prepend: ' +
      'x'.repeat(120) +
      '}}';
    const env = { POD: 'p'.repeat(80) };
    expect(await problemsOf(text, { env })).toEqual([
      expect.stringMatching(/at most 190 characters, found a generated one of 200/),
    ]);
  });

  it('use variables of the environment only, not properties that every object has', async () => {
    expect(await problemsOf(`scheduler.instanceName: \${toString}`)).toEqual([
      expect.stringMatching(/environment variable toString to be set, but it is not/),
    ]);
  });

  it('create plugins, with file paths relative to the configuration file', async () => {
    const text =
      'plugin:\n  a: {class: org.quartz.plugins.xml.XMLSchedulingDataProcessorPlugin, fileNames: "jobs.yaml, /etc/more.yaml"}\n  b: {class: shutdownHook, cleanShutdown: "false"}\n  c: {class: loggingJobHistory, jobSuccessMessage: done}';
    expect((await load(text)).config.plugins).toEqual([
      {
        name: 'a',
        kind: 'scheduleFile',
        settings: { fileNames: ['conf/jobs.yaml', '/etc/more.yaml'], scanInterval: 0, failOnFileNotFound: true },
      },
      { name: 'b', kind: 'shutdownHook', settings: { cleanShutdown: false } },
      { name: 'c', kind: 'loggingJobHistory', settings: { jobSuccessMessage: 'done' } },
    ]);
  });
});

describe('instance ids of the configuration', () => {
  const idOf = async (text: string, env: Environment = {}) => (await load(text, { env })).config.instanceId;
  const generator = (name: string) => `scheduler: {instanceId: AUTO, instanceIdGenerator: {class: ${name}}}`;

  it('are used as written', async () => expect(await idOf('scheduler.instanceId: node-1')).toBe('node-1'));

  it('are generated by AUTO, differently each time', async () => {
    const first = await idOf('scheduler.instanceId: AUTO');
    expect(first).toContain(`${hostname()}-${process.pid}-`);
    expect(await idOf('scheduler.instanceId: AUTO')).not.toBe(first);
  });

  it('default to AUTO with a database', async () => {
    expect(await idOf('jobStore.class: sqlite')).toContain(hostname());
  });

  it('can be the host name', async () => {
    expect(await idOf(generator('org.quartz.simpl.HostnameInstanceIdGenerator'))).toBe(hostname());
  });

  it('can be read from the environment, with a prefix and suffix', async () => {
    const env = { ORG_QUARTZ_SCHEDULER_INSTANCEID: 'n7', POD: 'p1' };
    expect(await idOf('scheduler.instanceId: SYS_PROP', env)).toBe('n7');
    const text =
      'scheduler: {instanceId: AUTO, instanceIdGenerator: {class: environment, systemPropertyName: POD, prepend: a-, postpend: -z}}';
    expect(await idOf(text, env)).toBe('a-p1-z');
  });

  it('cause an error that names a missing variable', async () => {
    expect(await problemsOf('scheduler.instanceId: SYS_PROP')).toEqual([
      'conf/quartz.yaml:1:23 scheduler.instanceId: expected the instance id in the environment variable ORG_QUARTZ_SCHEDULER_INSTANCEID, but it is not set; set it, or use AUTO',
    ]);
  });
});

describe('keys without effect in the configuration', () => {
  it('are named in one warning, with the reasons', async () => {
    const text =
      'scheduler: {skipUpdateCheck: true, rmi: {export: true, registryPort: 1}, jmx.proxy: true, jmx.proxy.class: x}\nthreadPool.threadPriority: 5\njobListener.audit.class: com.acme.Audit';
    const { warnings } = await load(text);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      'scheduler.rmi.export, scheduler.rmi.registryPort (there is no remote method invocation)',
    );
    for (const key of [
      'skipUpdateCheck',
      'jmx.proxy, scheduler.jmx.proxy.class',
      'threadPriority',
      'jobListener.audit.class',
    ]) {
      expect(warnings[0]).toContain(key);
    }
  });

  it('include database settings if the store is in memory', async () => {
    const { warnings } = await load(
      'jobStore: {tablePrefix: X_, acquireTriggersWithinLock: true}\ndataSource.d.URL: sqlite:x',
    );
    expect(warnings[0]).toMatch(
      /jobStore\.tablePrefix \(the memory store has no database\); dataSource\.d \(no job store uses/,
    );
    expect(warnings[0]).not.toContain('acquireTriggersWithinLock');
  });

  it('include switches for features that are always on', async () => {
    const { warnings } = await load('jobStore: {class: sqlite, acquireTriggersWithinLock: false, isClustered: false}');
    expect(warnings[0]).toContain('jobStore.acquireTriggersWithinLock (it is always true)');
    expect(warnings[1]).toContain('isClustered is false');
  });

  it('do not occur in the warnings of a correct configuration', async () => {
    expect((await load('threadPool.threadCount: 3\njobStore.lockOnInsert: true')).warnings).toEqual([]);
  });
});

describe('a wrong configuration', () => {
  it('is refused with the problems of all parts, in the order of the file', async () => {
    const text =
      'threadCount: 3\nscheduler:\n  idleWaitTme: 5\n  idleWaitTime: 999\n  timeZone: Europe/Berln\nthreadPool: {threadCount: 0}\nplugin.s: {class: scheduleFile, fileNames: 5}';
    expect(await problemsOf(text)).toEqual([
      "conf/quartz.yaml:1:1 threadCount: expected one of the keys database, scheduler, threadPool, jobStore, dataSource, context, alerts, console, plugin, found 'threadCount'; did you mean 'threadPool.threadCount'?",
      "conf/quartz.yaml:3:3 scheduler.idleWaitTme: expected a known key, found 'idleWaitTme'; did you mean 'idleWaitTime'?",
      'conf/quartz.yaml:4:17 scheduler.idleWaitTime: expected a number of at least 1000, found 999',
      "conf/quartz.yaml:5:13 scheduler.timeZone: expected an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00', found 'Europe/Berln'; did you mean 'Europe/Berlin'?",
      'conf/quartz.yaml:6:27 threadPool.threadCount: expected a number of at least 1, found 0',
      'conf/quartz.yaml:7:44 plugin.s.fileNames: expected a list, found 5',
    ]);
  });

  it.each([
    ['an empty file', '', /^conf\/quartz\.yaml:1:1: expected a map of keys such as 'threadPool', found an empty file$/],
    ['a list', '- a', /found a list$/],
    ['a text', 'just text', /found a single value$/],
    [
      'a section that is not a map',
      'threadPool: 5',
      /conf\/quartz\.yaml:1:13 threadPool: expected a map of keys, found 5$/,
    ],
    ['an empty section', 'threadPool:', /threadPool: expected a map of keys, found nothing$/],
    ['a fraction', 'threadPool.threadCount: 1.5', /expected a whole number, found 1.5$/],
    ['a number that is too large', 'threadPool.threadCount: 99999', /expected a number of at most 10000, found 99999$/],
    ['infinity', 'threadPool.threadCount: .inf', /expected a (whole )?number, found Infinity$/],
    ['a text for a number', 'threadPool.threadCount: many', /expected a number, found 'many'$/],
    ['a text for a flag', 'scheduler.interruptJobsOnShutdown: yes', /expected true or false, found 'yes'$/],
    [
      'a name that is too long',
      `scheduler.instanceName: ${'n'.repeat(121)}`,
      /expected a string of at most 120 characters, found 'n{57}\.\.\.'$/,
    ],
    ['a table prefix with SQL', 'jobStore.tablePrefix: "Q; DROP TABLE x"', /expected letters, digits and _/],
    ['keys of Object.prototype', 'scheduler.constructor: 1', /expected a known key, found 'constructor'/],
  ])('is refused with the problem: %s', async (_, text, message) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('is refused if it contains __proto__, functions or cycles', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.scheduler = cyclic;
    await expect(loadConfig(JSON.parse('{"__proto__": {"polluted": 1}}'))).rejects.toThrow(/found '__proto__/);
    await expect(loadConfig({ scheduler: { instanceName: () => 'x' } })).rejects.toThrow(
      /expected a string, found a function/,
    );
    await expect(loadConfig(cyclic)).rejects.toThrow(/at most 64 nested levels/);
    await expect(loadConfig([])).rejects.toThrow(/found a list/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

/** Keys that Quartz documents. Those without effect are checked by their warning. */
const QUARTZ_KEYS = `
scheduler.instanceName=a scheduler.instanceId=b scheduler.instanceIdGenerator.class=simple scheduler.threadName=x
scheduler.instanceIdGenerator.prepend=a scheduler.instanceIdGenerator.postpend=a scheduler.instanceIdGenerator.systemPropertyName=a
scheduler.idleWaitTime=5000 scheduler.dbFailureRetryInterval=1000 scheduler.batchTriggerAcquisitionMaxCount=1
scheduler.batchTriggerAcquisitionFireAheadTimeWindow=0 scheduler.interruptJobsOnShutdown=true
scheduler.interruptJobsOnShutdownWithWait=true scheduler.makeSchedulerThreadDaemon=true scheduler.skipUpdateCheck=true
scheduler.threadsInheritContextClassLoaderOfInitializer=true scheduler.classLoadHelper.class=x
scheduler.jobFactory.class=org.quartz.simpl.SimpleJobFactory scheduler.userTransactionURL=x
scheduler.jobFactory.warnIfPropertyNotFound=true scheduler.jobFactory.throwIfPropertyNotFound=false
scheduler.wrapJobExecutionInUserTransaction=false scheduler.rmi.export=false scheduler.rmi.proxy=false
scheduler.rmi.registryHost=h scheduler.rmi.registryPort=1 scheduler.rmi.serverPort=1 scheduler.rmi.createRegistry=never
scheduler.rmi.bindName=x scheduler.jmx.export=true scheduler.jmx.objectName=x scheduler.jmx.proxy=true
scheduler.jmx.proxy.class=x managementRESTService.enabled=true managementRESTService.bind=0.0.0.0:9889 context.key.some.name=x
threadPool.class=org.quartz.simpl.SimpleThreadPool threadPool.threadCount=10 threadPool.threadPriority=5
threadPool.makeThreadsDaemons=true threadPool.threadNamePrefix=x
threadPool.threadsInheritContextClassLoaderOfInitializingThread=true threadPool.threadsInheritGroupOfInitializingThread=true
threadExecutor.class=x jobStore.class=org.quartz.impl.jdbcjobstore.JobStoreTX jobStore.misfireThreshold=60000
jobStore.maxMisfiresToHandleAtATime=20 jobStore.dbRetryInterval=15000 jobStore.isClustered=true
jobStore.clusterCheckinInterval=7500 jobStore.tablePrefix=QRTZ_ jobStore.useProperties=false jobStore.useDBLocks=true
jobStore.lockOnInsert=true jobStore.acquireTriggersWithinLock=true jobStore.selectWithLockSQL=x jobStore.lockHandler.class=x
jobStore.lockHandler.maxRetry=3 jobStore.lockHandler.retryPeriod=1000 jobStore.driverDelegateClass=x
jobStore.driverDelegateInitString=x jobStore.dontSetAutoCommitFalse=false jobStore.txIsolationLevelSerializable=false
jobStore.doubleCheckLockMisfireHandler=true jobStore.useEnhancedStatements=true jobStore.makeThreadsDaemons=true
jobStore.threadsInheritInitializersClassLoadContext=true jobStore.dataSource=d dataSource.d.driver=x
dataSource.d.URL=jdbc:mysql://h/q dataSource.d.user=u dataSource.d.password=p dataSource.d.maxConnections=10
dataSource.d.validationQuery=x dataSource.d.connectionProvider.class=x dataSource.d.jndiURL=x dataSource.d.jndiAlwaysLookup=x
dataSource.d.java.naming.factory.initial=x dataSource.d.maxCachedStatementsPerConnection=120
dataSource.d.idleConnectionValidationSeconds=50 dataSource.d.validateOnCheckout=false dataSource.d.maxIdleTime=1
dataSource.d.discardIdleConnectionsSeconds=1 plugin.h.class=org.quartz.plugins.history.LoggingJobHistoryPlugin
plugin.h.jobSuccessMessage=x jobListener.l.class=x triggerListener.l.class=x
`
  .trim()
  .split(/\s+/);

it('the schema accepts every documented key of Quartz, as Java programs write them', async () => {
  const text = QUARTZ_KEYS.map((line) => `org.quartz.${line}`).join('\n');
  const { config, warnings } = await load(text, { file: 'quartz.properties' });
  expect(config.jobStore.kind).toBe('mysql');
  expect(warnings).toHaveLength(1);
});

it('the schema accepts all of its own defaults', () => {
  expect(configSchema.safeParse(configSchema.parse({})).success).toBe(true);
});
