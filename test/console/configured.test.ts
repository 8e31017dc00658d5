import type { Configuration } from '../../src';
import { hashToken } from '../../src/base/secret-hash';
import { createConsole } from '../../src/console/create-console';
import { createScheduler } from '../../src/scheduler/create-scheduler';
import { proves } from '../support/proves';

const [OURS, THEIRS] = ['a-token-of-the-configuration', 'a-token-of-the-program'];
const schedulers: Awaited<ReturnType<typeof createScheduler>>[] = [];

async function configured(name: string, section: object) {
  const scheduler = await createScheduler({
    scheduler: { instanceName: name, logLevel: 'silent' },
    console: { tokens: { ours: `admin ${hashToken(OURS)}` }, ...section },
  } as Configuration);
  schedulers.push(scheduler);
  return scheduler;
}

const statusOf = async ({ fetch }: ReturnType<typeof createConsole>, token: string, path = '/api/session') =>
  (await fetch(new Request(`http://localhost${path}`, { headers: { authorization: `Bearer ${token}` } }))).status;

describe('a console of a scheduler with a console section in its configuration', () => {
  afterEach(async () => {
    for (const scheduler of schedulers.splice(0)) await scheduler.shutdown();
  });

  it('takes omitted options from the configuration', async () => {
    proves('configuration', 'console.tokens', 'console.basePath');
    const scheduler = await configured('Reports', { basePath: '/admin', readOnly: true });
    const shown = createConsole(scheduler);
    expect(await statusOf(shown, OURS, '/admin/api/session')).toBe(200);
    expect(await statusOf(shown, THEIRS, '/admin/api/session')).toBe(401);
    const headers = { authorization: `Bearer ${OURS}` };
    const session = await shown.fetch(new Request('http://localhost/admin/api/session', { headers }));
    expect(await session.json()).toMatchObject({ isReadOnly: true });
  });

  it.each([
    ['tokens', { tokens: { theirs: `viewer ${hashToken(THEIRS)}` } }],
    [
      'a function',
      {
        auth: (request: Request) =>
          request.headers.get('authorization') === `Bearer ${THEIRS}` ? { name: 'a', role: 'viewer' as const } : null,
      },
    ],
  ])('admits only the users of the program if it sets %s', async (_, options) => {
    const shown = createConsole(await configured('Reports', {}), options);
    expect([await statusOf(shown, THEIRS), await statusOf(shown, OURS)]).toEqual([200, 401]);
  });

  it('ignores the users of a configuration if it shows several schedulers', async () => {
    const shown = createConsole([await configured('Reports', {}), await configured('Mails', {})]);
    expect(await statusOf(shown, OURS)).toBe(401);
  });

  it('opens no port, and warns if the configuration names one', async () => {
    const warnings: string[] = [];
    const ears = {
      name: 'ears',
      install: ({ scheduler }: { scheduler: (typeof schedulers)[number] }) =>
        void scheduler.subscribe((event) => {
          if (event.type === 'configurationWarning') warnings.push(event.message);
        }),
    };
    const scheduler = await createScheduler(
      { scheduler: { logLevel: 'silent', timeZone: 'UTC' }, console: { port: 8080 } },
      { plugins: [ears] },
    );
    schedulers.push(scheduler);
    expect(warnings).toEqual([
      expect.stringMatching(/^Only the command quartz run opens console\.port\. In a program, call .*listen\(8080\)/),
    ]);
  });

  it('allows the hosts of the configuration', async () => {
    proves('configuration', 'console.allowedHosts');
    const statusAs = async (section: object) => {
      const headers = { authorization: `Bearer ${OURS}`, host: 'quartz.example.com' };
      const { fetch } = createConsole(await configured('Reports', section));
      return (await fetch(new Request('http://localhost/api/session', { headers }))).status;
    };
    expect(await statusAs({ allowedHosts: 'quartz.example.com, other.example.com' })).toBe(200);
    expect(await statusAs({})).toBe(403);
  });

  it('ends sessions after the configured session lifetime', async () => {
    proves('configuration', 'console.sessionLifetime');
    const cookieWith = async (section: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ secret: OURS }) };
      const { fetch } = createConsole(await configured('Reports', section));
      return (await fetch(new Request('http://localhost/api/session', init))).headers.get('set-cookie');
    };
    expect(await cookieWith({ sessionLifetime: 'PT5M' })).toContain('Max-Age=300;');
    expect(await cookieWith({})).toContain('Max-Age=43200;');
  });
});
