import { createRequire } from 'node:module';

const { DoNotRetry, RetryLater, JobExecutionException } = createRequire(import.meta.url)('../../../../dist/index.js');

const FAULTS = {
  plain: () => new TypeError('no paper', { cause: Object.assign(new Error('jam'), { code: 'EJAM' }) }),
  later: () => new RetryLater('5m', 'not now'),
  never: () => new DoNotRetry('never again'),
  ending: () => new JobExecutionException('over', { unscheduleFiringTrigger: true }),
  foreign: () => Object.assign(new Error('of another copy'), { name: 'DoNotRetry', code: 'JOB_EXECUTION' }),
  text: () => 'a text',
  function: () => () => {},
};

export default async ({ data, report, attempt }) => {
  if (data.fault === 'report') report({ summary: 7 });
  if (data.fault === 'exit') process.exit(3);
  if (data.fault === 'data') return { function: () => {} };
  if (attempt === 1) throw FAULTS[data.fault]();
};
