import { pino } from 'pino';
import { createScheduler, newJob, newTrigger, type Scheduler } from '../../src';
import { createConsole, hashToken } from '../../src/console';
import {
  createDatabase,
  describeOnOneServer,
  type PrivateServer,
  startServer,
} from '../support/database/test-database';

const TOKEN = 'tokenOfThisTest';

describeOnOneServer('a console on a server that refuses writes, such as a replica', () => {
  let server: PrivateServer;
  let reader: Scheduler;

  beforeAll(async () => {
    server = await startServer();
    const { name, url, query } = await createDatabase(server);
    await query("CREATE USER 'writer'@'%' IDENTIFIED BY 'writer'"); // root may write to a read-only server
    await query(`GRANT ALL ON ${name}.* TO 'writer'@'%'`);
    const database = Object.assign(new URL(url), { username: 'writer', password: 'writer' }).href;
    const open = (schema: 'create' | 'validate') =>
      createScheduler(
        { scheduler: { instanceName: 'Reports' }, jobStore: { schema, storeThread: false }, database },
        { jobs: { report: () => undefined }, logger: pino({ level: 'silent' }) },
      );
    const node = await open('create');
    const inAnHour = new Date(Date.now() + 3_600_000);
    await node.scheduleJob(newJob('report').build(), newTrigger().withIdentity('hourly').startAt(inAnHour).build());
    await node.shutdown();
    await query('SET GLOBAL read_only = ON');
    reader = await open('validate');
  }, 60_000);

  afterAll(async () => {
    await reader.shutdown();
    await server.stop();
  });

  const request = async (path: string, init: RequestInit = {}) => {
    const shown = createConsole(reader, { tokens: { ops: `operator ${hashToken(TOKEN)}` } });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', host: '127.0.0.1' };
    return shown.fetch(new Request(`http://127.0.0.1${path}`, { headers, ...init }));
  };

  it.each([
    '/api/schedulers/Reports/overview',
    '/api/schedulers/Reports/triggers',
    '/api/schedulers/Reports/runs',
    '/api/schedulers/Reports/nodes',
    '/metrics',
  ])('answers GET %s', async (path) => {
    expect((await request(path)).status).toBe(200);
  });

  it('lists stored triggers', async () => {
    const answer = await request('/api/schedulers/Reports/triggers');
    expect(await answer.json()).toMatchObject({ items: [{ key: { group: 'DEFAULT', name: 'hourly' } }] });
  });

  it('refuses changes with STORE_FAILURE', async () => {
    const pause = await request('/api/schedulers/Reports/triggers/DEFAULT/hourly/pause', {
      method: 'POST',
      body: '{}',
    });
    expect(pause.status).toBe(503);
    expect(await pause.json()).toMatchObject({ code: 'STORE_FAILURE' });
  });

  it('cannot create a session', async () => {
    const login = await request('/api/session', { method: 'POST', body: JSON.stringify({ secret: TOKEN }) });
    expect(login.status).toBe(503);
  });

  it('cannot start its scheduler', async () => {
    await expect(reader.start()).rejects.toMatchObject({ code: 'STORE_FAILURE' });
  });
});
