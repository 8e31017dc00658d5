import { ManualClock } from '../../src/base/manual-clock';
import type { Authenticator } from '../../src/console/authenticator';
import type { Role } from '../../src/operations/role';
import { ask, closeAll, testConsole, testScheduler } from './support';

const JOBS = 'api/schedulers/Reports/jobs';
const SHARED = { 'cache-control': 'max-age=1' };

/** Gives each request the role of its header `x-role`. */
const believing: Authenticator = {
  async authenticate({ headers }) {
    return { name: 'somebody', role: (headers.get('x-role') ?? 'admin') as Role, via: 'http', from: null };
  },
};

async function open() {
  const scheduler = await testScheduler();
  const clock = new ManualClock();
  const shown = testConsole(scheduler, { auth: believing }, { clock });
  const add = async (name: string) => {
    const body = { name, type: 'noop', durable: true };
    expect((await ask(shown, JOBS, { method: 'POST', body })).status).toBe(200);
  };
  const names = async (headers: Record<string, string> = {}, address = JOBS) => {
    const { items } = (await ask(shown, address, { headers })).body as { items: { key: { name: string } }[] };
    return items.map(({ key }) => key.name);
  };
  return { clock, shown, add, names };
}

describe('a shared response', () => {
  afterEach(closeAll);

  it('is sent for the same request within a second, only if the request accepts it', async () => {
    const { clock, add, names } = await open();
    expect(await names(SHARED)).toEqual([]);
    await add('one');
    expect(await names(SHARED)).toEqual([]);
    expect(await names({ 'cache-control': 'no-cache, max-age=60' })).toEqual([]);
    expect(await names()).toEqual(['one']);
    expect(await names({ 'cache-control': 'max-age=0' })).toEqual(['one']);
    expect(await names(SHARED, `${JOBS}?search=o`)).toEqual(['one']);
    clock.advanceBy(1_000);
    expect(await names(SHARED)).toEqual(['one']);
  });

  it('is computed once for many concurrent requests', async () => {
    const scheduler = await testScheduler();
    let asked = 0;
    const read = scheduler.listNodes.bind(scheduler);
    scheduler.listNodes = () => {
      asked++;
      return read();
    };
    const shown = testConsole(scheduler);
    const all = Array.from({ length: 10 }, () => ask(shown, 'api/schedulers/Reports/nodes', { headers: SHARED }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(asked).toBe(1);
  });

  it('is not sent to another role', async () => {
    const { shown } = await open();
    const actions = (role: Role) =>
      ask(shown, 'api/schedulers/Reports/actions', { headers: { ...SHARED, 'x-role': role } });
    expect((await actions('admin')).status).toBe(200);
    expect((await actions('viewer')).status).toBe(403);
  });

  it('is not reused if it is a failure', async () => {
    const { shown, add } = await open();
    const show = () => ask(shown, `${JOBS}/DEFAULT/late`, { headers: SHARED });
    expect((await show()).status).toBe(404);
    await add('late');
    expect((await show()).status).toBe(200);
  });
});
