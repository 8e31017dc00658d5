import { jobsOf } from '../../../src/cli/load-jobs-module';

const job = async () => {};
const object = { execute: job };

it.each([
  ['`jobs`', { jobs: { 'send-report': job, other: object } }, ['send-report', 'other']],
  ['the default export', { default: { a: job } }, ['a']],
  ['a default export that also has other values', { default: { a: job, VERSION: 1 }, VERSION: 1 }, ['a']],
  ['`jobs` in the default export of a CommonJS module', { default: { jobs: { a: job } }, 'module.exports': {} }, ['a']],
  ['named exports', { a: job, b: object, VERSION: 1, default: job }, ['a', 'b']],
  [
    'named exports next to the default that Node adds for CommonJS',
    { a: job, default: { a: job }, __esModule: true },
    ['a'],
  ],
])('a jobs module may define its jobs in %s', (_, exports, types) => {
  expect(Object.keys(jobsOf(exports, 'jobs.mjs'))).toEqual(types);
});

it.each([
  ['no jobs', {}, /Expected 'jobs\.mjs' to export jobs, found none/],
  ['a function without a name', { default: job }, /found a function without a job type/],
  [
    'values that are not jobs',
    { jobs: { a: 5, b: job } },
    /to be a function, a class or an object with execute\(\), found other values as 'a'/,
  ],
  ['an empty map', { jobs: {} }, /found no job types/],
])('a jobs module with %s is refused with a hint', (_, exports, message) => {
  expect(() => jobsOf(exports, 'jobs.mjs')).toThrow(message);
});
