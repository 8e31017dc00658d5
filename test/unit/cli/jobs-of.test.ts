import { jobsOf } from '../../../src/cli/load-jobs-module';

const job = async () => {};
const object = { execute: job };

it.each([
  ['`jobs`', { jobs: { 'send-report': job, other: object } }, ['send-report', 'other']],
  ['the default export', { default: { a: job } }, ['a']],
  ['the default export, whatever else it holds', { default: { a: job, VERSION: 1 }, VERSION: 1 }, ['a']],
  [
    '`jobs` inside the default export, as CommonJS gives it',
    { default: { jobs: { a: job } }, 'module.exports': {} },
    ['a'],
  ],
  ['names', { a: job, b: object, VERSION: 1, default: job }, ['a', 'b']],
  ['names, beside the default Node adds for CommonJS', { a: job, default: { a: job }, __esModule: true }, ['a']],
])('takes jobs from %s', (_, exports, types) => {
  expect(Object.keys(jobsOf(exports, 'jobs.mjs'))).toEqual(types);
});

it.each([
  ['nothing', {}, /Expected 'jobs\.mjs' to export jobs, found none/],
  ['one function without a name', { default: job }, /found a function without a job type/],
  [
    'something else',
    { jobs: { a: 5, b: job } },
    /to be a function, a class or an object with execute\(\), found other values as 'a'/,
  ],
  ['an empty map', { jobs: {} }, /found no job types/],
])('refuses %s, and says what to write', (_, exports, message) => {
  expect(() => jobsOf(exports, 'jobs.mjs')).toThrow(message);
});
