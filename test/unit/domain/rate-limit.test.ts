import { checkRate } from '../../../src/domain/rate-limit';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const rate = (given: object) => checkRate(given, 'a job');

describe('a rate limit', () => {
  it('applies to the job alone, without bursts, by default', () => {
    expect(rate({ limit: 100, per: 'PT1M' })).toEqual({
      key: 'job {job.group}/{job.name}',
      limit: 100,
      per: MINUTE,
      burst: 1,
    });
    const whole = { key: 'api-{data.host}', limit: 5, per: SECOND, burst: 5 };
    expect(rate(whole)).toEqual(whole);
    expect(rate(rate(whole))).toEqual(whole);
  });

  it.each([
    [{ limit: 0, per: '1m' }, /whole number from 1 to 10000/],
    [{ limit: 10_001, per: '1m' }, /whole number from 1 to 10000/],
    [{ limit: 1.5, per: '1m' }, /whole number/],
    [{ limit: 1, per: '999' }, /duration/],
    [{ limit: 1, per: 999 }, /at least 1 second/],
    [{ limit: 1, per: 'P367D' }, /at most 366 days/],
    [{ limit: 2, per: '1m', burst: 3 }, /from 1 to 2 as rate.burst of/],
    [{ limit: 2, per: '1m', key: 'a {b}' }, /\{data\.…\}/],
    [{ limit: 2, per: '1m', key: '' }, /the key of the rate of a job/],
    [{ limit: 2, per: '1m', every: 3 }, /Expected only key, limit, per and burst in the rate of a job, found 'every'/],
    [{ limit: 2 }, /limit and per as the rate of a job, found an object with limit/],
    [5 as unknown as object, /Expected an object with limit and per as the rate of a job, found 5/],
  ])('refuses %p', (given, message) => {
    expect(() => rate(given)).toThrow(message);
  });
});
