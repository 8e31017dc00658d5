import { newJob } from '../../src';
import { allOperations } from '../../src/operations/operations';
import { ask, closeAll, testConsole, testScheduler } from '../console/support';

const SECRET = 'correct-horse-battery';

describe('a secret in the data of a job', () => {
  afterEach(closeAll);

  it('is in no response, problem, event or entry of the action log', async () => {
    const events: string[] = [];
    const scheduler = await testScheduler({
      jobs: { failing: () => Promise.reject(new Error('the receiver did not answer')) },
    });
    const data = { apiKey: SECRET, nested: { password: SECRET, list: [{ token: SECRET }] }, shown: 'shown' };
    await scheduler.addJob(newJob('failing').withIdentity('job').storeDurably().usingJobData(data).build());
    await scheduler.schedule('other', { at: new Date(), data, history: 'all' } as never, async () => {});
    scheduler.subscribe((event) => events.push(JSON.stringify(event)));
    const shown = testConsole(scheduler);
    await shown.fetch(new Request('http://localhost/api/schedulers/Reports/events')).then(async (response) => {
      const reader = response.body?.getReader();
      await scheduler.start();
      const { value } = (await reader?.read()) ?? {};
      expect(new TextDecoder().decode(value)).not.toContain(SECRET);
      await reader?.cancel();
    });
    const names = ['job', 'other'];
    let answers = 0;
    for (const [name, { http }] of allOperations()) {
      for (const key of names) {
        const path = http.path.replace(':group', 'DEFAULT').replace(/:\w+/g, key);
        const body = http.method === 'POST' || http.method === 'PUT' ? { body: { data, note: data } } : {};
        const { status, text } = await ask(shown, `api/schedulers/Reports${path}`, { method: http.method, ...body });
        expect([name, text.includes(SECRET)]).toEqual([name, false]);
        if (status === 200) answers++;
      }
    }
    expect(answers).toBeGreaterThan(10);
    const log = await ask(shown, 'api/schedulers/Reports/actions');
    expect(log.body.items.length).toBeGreaterThan(0);
    expect(log.text).not.toContain(SECRET);
  });
});
