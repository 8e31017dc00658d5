import { ConfigurationError } from '../../../src/config/problem';
import { parseDocument } from '../../../src/config/read-document';
import { type ResolveOptions, resolveDocument } from '../../../src/config/resolve-config';

/** Resolves a `quartz.properties` file. `org.quartz.` is added to each line that begins with `~`. */
async function load(text: string, options: ResolveOptions = {}) {
  const document = await parseDocument(text.replace(/^ *~/gm, 'org.quartz.'), 'quartz.properties');
  return resolveDocument(document, {}, options);
}

async function refusal(text: string): Promise<string> {
  const error = await load(text).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigurationError)) throw new Error(`expected a ConfigurationError, got ${String(error)}`);
  return error.message;
}

const DATABASE = `
  ~jobStore.class = org.quartz.impl.jdbcjobstore.JobStoreTX
  ~jobStore.driverDelegateClass = org.quartz.impl.jdbcjobstore.StdJDBCDelegate
  ~jobStore.dataSource = myDS`;
const MYSQL = `${DATABASE}
  ~dataSource.myDS.driver = com.mysql.cj.jdbc.Driver
  ~dataSource.myDS.URL = jdbc:mysql://db:3306/quartz?useUnicode=true&characterEncoding=utf8&serverTimezone=UTC
  ~dataSource.myDS.user = quartz
  ~dataSource.myDS.password = geheim`;

describe('values of a Java configuration file', () => {
  it('are trimmed, so that Java and this library use the same scheduler and node names', async () => {
    const { config } = await load(
      `~scheduler.instanceName = Reports \n~scheduler.instanceId = node1\t\n${MYSQL} \n~jobStore.tablePrefix = QRTZ_  \n~jobStore.isClustered = true \n`,
    );
    expect(config).toMatchObject({ instanceName: 'Reports', instanceId: 'node1' });
    expect(config.jobStore.sql).toMatchObject({ tablePrefix: 'QRTZ_', dataSource: { password: 'geheim' } });
  });

  it('fall back to their defaults if they are empty', async () => {
    const { config } = await load('~scheduler.instanceName =\n~threadPool.threadCount =  \n~jobStore.class =\n');
    expect(config).toMatchObject({ instanceName: 'QuartzScheduler', threadPool: { threadCount: 25 } });
  });

  it('may refer to unset variables if their key has no effect', async () => {
    const { warnings } = await load(
      `~threadPool.threadNamePrefix = \${maven.name}\n~plugin.a.class = com.acme.A\n~plugin.a.x = \${y}\n`,
    );
    expect(warnings.join()).toMatch(/threadPool\.threadNamePrefix .*plugin\.a/);
  });
});

describe('keys of the application in a Java configuration file', () => {
  it('are ignored with a single warning if there are Quartz keys too', async () => {
    const { config, warnings } = await load(
      `scheduler_flag = true\nexchange.rates.url = http://localhost/rates\nscheduler.enabled = true\nspring.datasource.url = \${DB}\n` +
        'org.hibernate.dialect = x\n~scheduler.instanceName = R\njdbc.password = geheim\n',
    );
    expect(config.instanceName).toBe('R');
    expect(warnings).toEqual([
      expect.stringMatching(/^6 keys are ignored, because .*org\.quartz\.: 'scheduler_flag', .*'jdbc\.password'\.$/),
    ]);
    expect(warnings.join()).not.toContain('geheim');
  });

  it('are listed in the warning up to ten', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `app.${index} = x`);
    const { warnings } = await load(`${keys.join('\n')}\n~threadPool.threadCount = 3`);
    expect(warnings).toEqual([expect.stringMatching(/^30 keys .*'app\.9' and 20 more\.$/)]);
  });

  it('can be referenced, and known keys work without the org.quartz prefix', async () => {
    const { config, warnings } = await load(
      'app.name = Mine\nscheduler.instanceId = n7\n~scheduler.instanceName = $@app.name\n',
    );
    expect(config).toMatchObject({ instanceName: 'Mine', instanceId: 'n7' });
    expect(warnings).toEqual([]);
  });

  it('do not override Quartz keys with the same name', async () => {
    const { config } = await load('scheduler.instanceName = App\n~scheduler.instanceName = Quartz\n');
    expect(config.instanceName).toBe('Quartz');
  });

  it.each([
    [
      'app.name = x\ndb.url = y',
      /^quartz\.properties: expected keys of Quartz, .* found only other keys \('app\.name', 'db\.url'\)$/,
    ],
    [
      'spring.quartz.properties.org.quartz.threadPool.threadCount = 5\nspring.application.name = x',
      /; write 'org\.quartz\.threadPool\.threadCount' for 'spring\.quartz\.properties\.org\.quartz\.threadPool\.threadCount'$/,
    ],
    [
      'quartz.scheduler.instanceName = NetFleet',
      /; write 'org\.quartz\.scheduler\.instanceName' for 'quartz\.scheduler/,
    ],
    ['#org.quartz.threadPool.threadCount = 5\n', /expected a map of keys .* found an empty file/],
  ])('without Quartz keys are refused: %s', async (text, message) => {
    expect(await refusal(text)).toMatch(message);
  });

  it('do not hide a misspelt or misplaced Quartz key', async () => {
    expect(await refusal('app = 1\n~scheduler.clusterCheckinInterval = 20000\n')).toMatch(
      /:2:1 scheduler\.clusterCheckinInterval: .* did you mean 'jobStore\.clusterCheckinInterval'\?$/,
    );
    expect(await refusal('app = 1\n~jobStore.misfireTreshold = 5\n')).toMatch(/did you mean 'misfireThreshold'/);
  });
});

describe('a database that is configured outside the Java file', () => {
  const WRITE =
    /Write org\.quartz\.dataSource\.(\w+)\.URL = mysql:\/\/host:port\/database(.*), or pass a pool to createScheduler\(config, \{ pool \}\)$/;

  it.each([
    [
      'Spring',
      '~jobStore.class = org.springframework.scheduling.quartz.LocalDataSourceJobStore',
      /Spring or the container supplies it/,
    ],
    [
      'no data source',
      '~jobStore.class = org.quartz.impl.jdbcjobstore.JobStoreCMT\n~jobStore.isClustered = true',
      /Spring or the container/,
    ],
    ['Spring, by name', DATABASE, /Spring or the container supplies it/],
    [
      'a container',
      `${DATABASE}\n~dataSource.myDS.jndiURL = java:comp/env/jdbc/quartz`,
      /the container supplies it \(dataSource\.myDS\.jndiURL\)/,
    ],
    [
      'a pool',
      `${DATABASE}\n~dataSource.myDS.maxConnections = 5\n~dataSource.myDS.user = u`,
      /Spring or the container supplies it/,
    ],
    [
      'a class',
      `${DATABASE}\n~dataSource.myDS.connectionProvider.class = com.acme.Provider`,
      /the class 'com\.acme\.Provider' connects to it/,
    ],
  ])('is refused with the settings to write: %s', async (_, text, reason) => {
    const message = await refusal(text);
    expect(message).toMatch(reason);
    expect(message).toMatch(WRITE);
    expect(message.split('\n')).toHaveLength(1);
  });

  it('can be supplied by the program as a pool', async () => {
    const suppliedDatabase = 'mysql://h:3306/q';
    const spring = '~jobStore.class = org.springframework.scheduling.quartz.LocalDataSourceJobStore';
    for (const text of [spring, DATABASE, `${DATABASE}\n~dataSource.myDS.jndiURL = x`, '~threadPool.threadCount = 5']) {
      const { config } = await load(text, { suppliedDatabase });
      expect(config.jobStore).toMatchObject({ kind: 'mysql', sql: { dataSource: { url: suppliedDatabase } } });
    }
    expect((await load(MYSQL, { suppliedDatabase })).config.jobStore.sql?.dataSource.url).toContain('//db:3306');
    expect(
      (await load('~jobStore.class = org.quartz.simpl.RAMJobStore', { suppliedDatabase })).config.jobStore.kind,
    ).toBe('memory');
  });

  it('may use its own connection provider: URL and login are used, other settings are ignored', async () => {
    const { config, warnings } = await load(`${DATABASE}
      ~dataSource.myDS.connectionProvider.class = com.acme.quartz.DruidConnectionProvider
      ~dataSource.myDS.driver = com.mysql.jdbc.Driver
      ~dataSource.myDS.url = jdbc:mysql://127.0.0.1:3306/quartz
      ~dataSource.myDS.username = root
      ~dataSource.myDS.password = geheim
      ~dataSource.myDS.maxConnection = 10
      ~dataSource.myDS.filters = stat`);
    expect(config.jobStore.sql?.dataSource).toMatchObject({
      url: 'mysql://127.0.0.1:3306/quartz',
      user: 'root',
      password: 'geheim',
    });
    expect(warnings).toEqual([expect.stringMatching(/dataSource\.myDS\.maxConnection, dataSource\.myDS\.filters/)]);
  });

  it('with a misspelt data source is refused with the right name', async () => {
    expect(await refusal(MYSQL.replace('dataSource = myDS', 'dataSource = myD'))).toMatch(/did you mean 'myDS'\?$/);
  });
});

describe('connection pool settings of a Java configuration file', () => {
  it.each([1, 5])('with maxConnections = %d are raised to the smallest number that works', async (count) => {
    const { config, warnings } = await load(`${MYSQL}\n~dataSource.myDS.maxConnections = ${count}`);
    expect(config.jobStore.sql?.dataSource.maxConnections).toBe(6);
    expect(warnings).toContain(
      `dataSource.myDS.maxConnections is ${count}: 6 is used, the smallest number that works.`,
    );
  });

  it('for C3P0 and HikariCP have no effect, but a misspelt key is refused', async () => {
    const { warnings } = await load(
      `${MYSQL}\n~dataSource.myDS.provider = hikaricp\n~dataSource.myDS.acquireIncrement = 3\n~dataSource.myDS.maximumPoolSize = 9\n~dataSource.myDS.idleTimeout = 60000`,
    );
    expect(warnings).toHaveLength(1);
    expect(await refusal(`${MYSQL}\n~dataSource.myDS.pasword = geheim`)).toMatch(/did you mean 'password'/);
  });
});

describe('plugins of a Java configuration file', () => {
  it.each([
    ['org.quartz.plugins.xml.XMLSchedulingDataProcessorPlugin', 'quartz_data.xml'],
    ['org.quartz.plugins.xml.JobInitializationPlugin', 'quartz_jobs.xml'],
  ])('%s without fileNames uses the default file of Quartz', async (name, file) => {
    const { config, warnings } = await load(
      `~plugin.jobInitializer.class = ${name}\n~plugin.jobInitializer.scanInterval = 10`,
    );
    expect(config.plugins).toMatchObject([{ kind: 'scheduleFile', settings: { fileNames: [file], scanInterval: 10 } }]);
    expect(warnings).toEqual([
      `plugin.jobInitializer.fileNames is missing, so the plugin reads Quartz's default, ${file}. Convert that file to YAML and set plugin.jobInitializer.fileNames to its new name.`,
    ]);
  });

  it('scheduleFile requires fileNames', async () => {
    expect(await refusal('~plugin.a.class = scheduleFile')).toMatch(/plugin\.a\.fileNames: expected/);
  });
});

it.each([
  [
    'the documented example',
    `~scheduler.instanceName = MyClusteredScheduler
    ~scheduler.instanceId = AUTO
    ~scheduler.skipUpdateCheck = true
    ~threadPool.class = org.quartz.simpl.SimpleThreadPool
    ~threadPool.threadCount = 25
    ~threadPool.threadPriority = 5
    ~jobStore.misfireThreshold = 60000
    ${MYSQL}
    ~jobStore.useProperties = false
    ~jobStore.tablePrefix = QRTZ_
    ~jobStore.isClustered = true
    ~jobStore.clusterCheckinInterval = 20000
    ~dataSource.myDS.maxConnections = 5
    ~dataSource.myDS.validationQuery = select 0`,
  ],
  [
    'a file of a Spring program',
    `~scheduler.instanceName=springScheduler
    ~scheduler.rmi.export=false
    ~scheduler.rmi.proxy=false
    ~scheduler.wrapJobExecutionInUserTransaction=false
    ~scheduler.jobFactory.class=org.springframework.scheduling.quartz.SpringBeanJobFactory
    ~threadPool.class=org.springframework.scheduling.quartz.SimpleThreadPoolTaskExecutor
    ~threadPool.threadCount=10
    ~threadPool.threadsInheritContextClassLoaderOfInitializingThread=true
    ~jobStore.class=org.quartz.simpl.RAMJobStore
    app.title=Nightly`,
  ],
  [
    'a file with plugins',
    `~plugin.triggHistory.class = org.quartz.plugins.history.LoggingJobHistoryPlugin
    ~plugin.triggHistory.jobToBeFiredMessage =
    ~plugin.shutdownhook.class = org.quartz.plugins.management.ShutdownHookPlugin
    ~plugin.shutdownhook.cleanShutdown = true
    ~plugin.jobInitializer.class: org.quartz.plugins.xml.XMLSchedulingDataProcessorPlugin
    ~plugin.jobInitializer.fileNames: quartz_jobs.xml
    ~plugin.jobInitializer.failOnFileNotFound: false
    ~plugin.jobInitializer.wrapInUserTransaction: false`,
  ],
])('a Java configuration file is accepted: %s', async (_, text) => {
  await expect(load(text.replace(/^ +(?=app)/gm, ''))).resolves.toBeDefined();
});
