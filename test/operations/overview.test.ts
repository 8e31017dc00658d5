import { type Asked, openAsked } from './support';

let asked: Asked;

beforeAll(async () => {
  asked = await openAsked('memory', { noop: async () => {} });
});

afterAll(() => asked.close());

test('the overview shows the next fire time, also of a trigger that a node has reserved', async () => {
  await asked.ask('jobs.add', { name: 'job', type: 'noop', durable: true });
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const soon = at(15_000);
  await asked.ask('triggers.add', { name: 'soon', job: 'job', startAt: soon, simple: {} });
  await asked.ask('triggers.add', { name: 'tomorrow', job: 'job', startAt: at(86_400_000), simple: {} });
  const reserved = new Promise((resolve) => asked.scheduler.subscribe(resolve, ['triggersAcquired']));
  await asked.scheduler.start();
  await reserved;
  expect(await asked.ask('overview.show', {})).toMatchObject({ nextFireTime: soon });
});
