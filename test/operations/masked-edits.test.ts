import { z } from 'zod';
import { newJob } from '../../src';
import { isSecretName } from '../../src/base/secrets';
import { allOperations } from '../../src/operations/operations';
import { type Asked, openAsked } from './support';

const DATA = {
  url: 'mysql://root:hunter2@db/x',
  password: 'hunter2',
  headers: [
    { name: 'Authorization', value: 'Bearer hunter2' },
    { name: 'Accept', value: 'text/plain' },
  ],
  pairs: [['cookie', 'hunter2']],
  'https://u:hunter2@h/': { token: 'hunter2' },
  count: 1,
};

describe('a definition whose secrets are shown as ***', () => {
  let asked: Asked;
  beforeEach(async () => {
    asked = await openAsked('memory');
    await asked.scheduler.addJob(newJob('noop').withIdentity('mail').storeDurably().usingJobData(DATA).build());
  });
  afterEach(() => asked.close());

  const shownData = async () => {
    const { definition } = await asked.ask('jobs.show', { name: 'mail' });
    expect(JSON.stringify(definition)).not.toContain('hunter2');
    return definition.data as Record<string, unknown>;
  };
  const storedData = async () => (await asked.scheduler.getJobDetail({ name: 'mail', group: 'DEFAULT' }))?.data;

  it('keeps its secrets if it is sent back with another value changed', async () => {
    await asked.ask('jobs.edit', { name: 'mail', data: { ...(await shownData()), count: 2 } });
    expect({ ...(await storedData()) }).toMatchObject({ ...DATA, count: 2 });
  });

  it('keeps the secret of a header if the order of the list changes', async () => {
    const data = await shownData();
    await asked.ask('jobs.edit', { name: 'mail', data: { ...data, headers: [...(data.headers as [])].reverse() } });
    expect((await storedData())?.headers).toEqual([...DATA.headers].reverse());
  });

  it('is not stored with *** in place of an unknown secret', async () => {
    const data = { ...(await shownData()), url: 'mysql://***@elsewhere/x' };
    expect(await asked.refusal('jobs.edit', { name: 'mail', data })).toMatchObject({
      code: 'INVALID_INPUT',
      fields: [
        {
          field: 'data.url',
          message: 'expected the secret itself, found its mask (***), but no secret is stored here; enter the value',
        },
      ],
    });
    expect({ ...(await storedData()) }).toMatchObject(DATA);
  });

  it('is recorded with old and new values of the changed fields, and without its secrets', async () => {
    const data = { ...DATA, password: 'swordfish', url: 'mysql://root:swordfish@elsewhere/x', count: 2 };
    await asked.ask('jobs.edit', { name: 'mail', description: 'https://u:swordfish@h/', data });
    const { items } = await asked.ask('actions.list', {});
    expect(JSON.stringify(items)).not.toMatch(/hunter2|swordfish/);
    const { fields } = items[0]?.changes as unknown as { readonly fields: readonly { readonly field: string }[] };
    expect([...fields].sort((one, other) => one.field.localeCompare(other.field))).toEqual([
      { field: 'data.count', before: 1, after: 2 },
      { field: 'data.password', before: '***', after: '***' },
      { field: 'data.url', before: 'mysql://***@db/x', after: 'mysql://***@elsewhere/x' },
      { field: 'description', after: 'https://***@h/' },
    ]);
  });

  it('has no field with the name of a secret in any output', () => {
    const names = (schema: unknown): readonly string[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const { properties = {}, ...rest } = schema as { readonly properties?: object };
      return [...Object.keys(properties), ...Object.values({ ...properties, ...rest }).flatMap(names)];
    };
    const all = allOperations().flatMap(([, { output }]) => names(z.toJSONSchema(output, { io: 'input' })));
    expect(all.length).toBeGreaterThan(200);
    expect(all.filter(isSecretName)).toEqual([]);
  });
});
