import { type Asked, openAsked, STORES } from '../operations/support';

/** Values of a file. A plan that reports a change of another field must not reveal the secret. */
interface Guess {
  readonly token: string;
  readonly to?: string;
  readonly description?: string;
  readonly cron?: string;
}

const fileOf = ({ token, to = 'ada', description = 'nightly', cron = '0 0 3 * * ?' }: Guess) =>
  JSON.stringify({
    set: 'guesses',
    jobs: [
      {
        name: 'report',
        type: 'noop',
        description: `${description} https://app:${token}@db/x`,
        data: { token, to, url: `https://app:${token}@db/x`, list: [{ name: 'password', value: token }] },
        spread: { shards: 2, params: [{ token }, { token }] },
        triggers: [{ name: 'daily', cron, timeZone: 'UTC', startAt: '2027-01-01T00:00Z', data: { token, to } }],
      },
    ],
    calendars: { days: { type: 'weekly', excludedDays: ['SUN'], description: `https://app:${token}@db/x` } },
  });

const VARIANTS: readonly (readonly [string, Omit<Guess, 'token'>])[] = [
  ['without other changes', {}],
  ['with other data', { to: 'bob' }],
  ['with another description', { description: 'weekly' }],
  ['with another schedule', { cron: '0 0 4 * * ?' }],
];

describe.each(STORES)('a guess of a stored secret, on the %s store,', (store) => {
  let asked: Asked;
  const stored = fileOf({ token: 'hush' });
  beforeEach(async () => {
    asked = await openAsked(store);
    await asked.ask('schedule.apply', { text: stored, file: 's.json' });
  });
  afterEach(() => asked.close());

  const planAs = (role: 'viewer' | 'operator' | 'admin', guess: Guess) =>
    asked.askAs(role, 'schedule.plan', { text: fileOf(guess), file: 's.json' });

  it.each(VARIANTS)('%s has the same plan whether it is right or wrong', async (_, others) => {
    for (const role of ['viewer', 'operator'] as const)
      expect(await planAs(role, { ...others, token: 'wrong' })).toEqual(
        await planAs(role, { ...others, token: 'hush' }),
      );
    // Admins, who may store the file, see the difference.
    expect(await planAs('admin', { ...others, token: 'wrong' })).not.toEqual(
      await planAs('admin', { ...others, token: 'hush' }),
    );
  });

  it.each(VARIANTS)('%s has the same plan if the job was edited manually', async (_, others) => {
    const data = { token: 'edited', to: 'ada' };
    await asked.ask('jobs.edit', { name: 'report', data });
    await asked.ask('triggers.edit', { name: 'daily', data });
    const plans = await Promise.all(['wrong', 'hush', 'edited'].map((token) => planAs('viewer', { ...others, token })));
    expect(plans).toEqual([plans[0], plans[0], plans[0]]);
  });

  it('is not compared, unlike all other fields', async () => {
    const { changes } = (await planAs('viewer', { token: 'wrong', to: 'bob' })) as {
      readonly changes: readonly {
        readonly name: string;
        readonly action: string;
        readonly fields: readonly unknown[];
      }[];
    };
    expect(changes.map(({ name, action, fields }) => ({ name, action, fields }))).toEqual([
      { name: 'days', action: 'unchanged', fields: [] },
      { name: 'report', action: 'replace', fields: [{ field: 'data.to' }] },
      { name: 'daily', action: 'replace', fields: [{ field: 'data.to' }] },
    ]);
  });
});
