import type { Proofs } from '../support/proof';
import { command } from './command';

const SIX = '0 0 6 * * ?';
const FROM = ['--from', '2027-01-01T00:00:00Z'];
const UTC = ['--time-zone', 'UTC'];

type Sub = 'next' | 'explain' | 'validate';

/** What a command says with options, and what without. */
const said = async (sub: Sub, expression: string, ...options: readonly string[]) =>
  command(['cron', sub, expression, ...options]);

/** What is the same for `next`, `explain` and `validate`. */
function commonProofs(sub: Sub): Proofs {
  const from = sub === 'validate' ? [] : FROM;
  return {
    async [`cron ${sub} --time-zone`]() {
      const zoneOf = async (zone: string) =>
        JSON.parse((await said(sub, SIX, ...from, '--time-zone', zone, '--json')).stdout) as {
          readonly timeZone: string;
        };
      const [utc, tokyo] = [await zoneOf('UTC'), await zoneOf('Asia/Tokyo')];
      expect([utc.timeZone, tokyo.timeZone]).toEqual(['UTC', 'Asia/Tokyo']);
      if (sub !== 'validate')
        expect(tokyo).not.toMatchObject({ fireTimes: (utc as { fireTimes?: unknown }).fireTimes });
      expect((await said(sub, SIX, '--time-zone', 'Mars/Base')).code).toBe(4);
    },

    async [`cron ${sub} --dialect`]() {
      const answers = await Promise.all(
        ['quartz', 'unix'].map((dialect) => said(sub, '0 6 * * 1', ...from, '--dialect', dialect)),
      );
      expect(answers.map(({ code }) => code)).toEqual([4, 0]);
      const daily = await said(sub, '@daily', ...from, ...UTC, '--dialect', 'unix', '--json');
      expect(JSON.parse(daily.stdout)).toMatchObject({ cronExpression: '0 0 0 * * ?' });
    },

    async [`cron ${sub} --key`]() {
      const spread = '0 H H * * ?';
      expect(await said(sub, spread, ...from)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('Set the key'),
      });
      const drawnFor = async (key: string) =>
        JSON.parse((await said(sub, spread, ...from, ...UTC, '--key', key, '--json')).stdout) as unknown;
      expect(await drawnFor('report')).toMatchObject({ cronExpression: '0 59 18 * * ?' });
      expect(await drawnFor('DEFAULT/report')).toMatchObject({ cronExpression: '0 59 18 * * ?' });
      expect(await drawnFor('billing/report')).toMatchObject({ cronExpression: '0 47 11 * * ?' });
    },

    async [`cron ${sub} --lenient`]() {
      const strange = '0 0 6 ? * MON/2';
      expect((await said(sub, strange, ...from)).code).toBe(4);
      expect((await said(sub, strange, ...from, '--lenient')).code).toBe(0);
    },
  };
}

/** The commands about cron expressions. */
export const cronProofs: Proofs = {
  ...commonProofs('next'),
  ...commonProofs('explain'),
  ...commonProofs('validate'),

  async 'cron next'() {
    const { stdout } = await said('next', SIX, ...FROM, ...UTC);
    expect(stdout.match(/2027-01-0\d {2}06:00:00/g)).toHaveLength(5);
    expect((await said('next', '0 0 12 * * ?', ...FROM, ...UTC)).stdout).toContain('12:00:00');
  },

  async 'cron next --count'() {
    const count = async (n: string) =>
      (await said('next', SIX, ...FROM, '--count', n)).stdout.trim().split('\n').length - 1;
    expect([await count('1'), await count('1000')]).toEqual([1, 1_000]);
    expect((await said('next', SIX, '--count', '1001')).code).toBe(2);
  },

  async 'cron next --from'() {
    const first = async (...from: readonly string[]) =>
      (JSON.parse((await said('next', SIX, ...UTC, '--json', ...from)).stdout) as { fireTimes: string[] }).fireTimes[0];
    expect(await first('--from', '2031-05-01T07:00')).toBe('2031-05-02T06:00:00.000Z');
    expect(await first('--from', '2031-05-01T07:00+03:00')).toBe('2031-05-01T06:00:00.000Z');
    expect(Date.parse((await first()) ?? '') - Date.now()).toBeLessThanOrEqual(86_400_000);
  },

  async 'cron next --json'() {
    const { stdout } = await said('next', SIX, ...FROM, ...UTC, '--count', '1', '--json');
    const expected = { cronExpression: SIX, timeZone: 'UTC', fireTimes: ['2027-01-01T06:00:00.000Z'] };
    expect(JSON.parse(stdout)).toEqual(expected);
  },

  async 'cron explain'() {
    const { stdout } = await said('explain', SIX, ...FROM, ...UTC);
    expect(stdout).toMatch(/^At 06:00\n[\s\S]*hour +6\n[\s\S]*next in UTC: Fri 2027-01-01 06:00:00/);
  },

  async 'cron explain --key'() {
    await commonProofs('explain')['cron explain --key']?.();
    const { stdout } = await said('explain', '0 H H(8-17) * * ?', '--key', 'report');
    expect(stdout).toMatch(
      /minute +59 +H of DEFAULT\/report\nhour +16 +H\(8-17\) of DEFAULT\/report\nday of month +\*\n/,
    );
  },

  async 'cron explain --from'() {
    const { stdout } = await said('explain', SIX, ...UTC, '--from', '2031-05-01');
    expect(stdout).toContain('2031-05-01 06:00:00');
  },

  async 'cron explain --json'() {
    const { stdout } = await said('explain', SIX, ...FROM, ...UTC, '--json');
    expect(JSON.parse(stdout)).toEqual({
      cronExpression: SIX,
      timeZone: 'UTC',
      description: 'At 06:00',
      fireTimes: ['2027-01-01', '2027-01-02', '2027-01-03'].map((day) => `${day}T06:00:00.000Z`),
    });
  },

  async 'cron validate'() {
    expect(await said('validate', SIX)).toMatchObject({ code: 0, stdout: `valid: ${SIX}\n` });
    expect(await said('validate', '0 0 25 * * ?')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/hour[\s\S]*\^\n$/),
    });
  },

  async 'cron validate --json'() {
    const valid = await said('validate', SIX, ...UTC, '--json');
    expect(JSON.parse(valid.stdout)).toEqual({ valid: true, cronExpression: SIX, timeZone: 'UTC' });
    const invalid = await said('validate', 'x', '--json');
    expect(JSON.parse(invalid.stderr)).toMatchObject({ error: { code: 'CRON_SYNTAX', exitCode: 4 } });
  },
};
