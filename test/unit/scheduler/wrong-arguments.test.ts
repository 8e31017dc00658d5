import { CronCalendar, DailyCalendar, JobDataMap } from '../../../src';
import { hashToken } from '../../../src/console';

/** Programs without types call as they like: what is wrong is said with a code and a sentence. */
describe('an argument that is missing or of another type', () => {
  it.each([
    ['job data', () => new JobDataMap(null as never), 'INVALID_JOB_DATA', /plain object, found null/],
    ['a list as job data', () => new JobDataMap([] as never), 'INVALID_JOB_DATA', /found a list/],
    ['a cron calendar', () => new (CronCalendar as never as new () => unknown)(), 'INVALID_CALENDAR', /cronExpression/],
    ['a daily calendar', () => new (DailyCalendar as never as new () => unknown)(), 'INVALID_CALENDAR', /from/],
    ['a token', () => hashToken(5 as never), 'INVALID_ARGUMENT', /Expected a token/],
  ])('%s', (_, call, code, message) => {
    expect(call).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
  });
});
