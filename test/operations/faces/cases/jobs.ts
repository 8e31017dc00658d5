import type { CasesOf } from './case';

type Names =
  | 'jobs.list'
  | 'jobs.show'
  | 'jobs.add'
  | 'jobs.edit'
  | 'jobs.remove'
  | 'jobs.removeMany'
  | 'jobs.fire'
  | 'jobs.pause'
  | 'jobs.resume';

const daily = { name: 'daily', group: 'g' } as const;
const nobody = { input: { name: 'nobody', group: 'g' }, code: 'JOB_NOT_FOUND' } as const;

export const JOBS: CasesOf<Names> = {
  'jobs.list': {
    input: { group: 'g', search: 'ail', limit: 1 },
    answers: { items: [{ key: daily, type: 'noop' }], next: '["daily","g"]', total: { count: 3 } },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'jobs.show': {
    input: daily,
    answers: { definition: { data: { to: 'ops', password: '***' } }, triggers: expect.any(Array) },
    refused: nobody,
  },
  'jobs.add': {
    input: {
      ...{ name: '任务 / "x"', group: 'g', type: 'noop', durable: true, retry: ['PT1M', 'PT2M'] },
      ...{ data: { list: [1, { a: null }], text: 'true' } },
      triggers: [{ name: 'its own', cron: '0 0 3 * * ?', timeZone: 'UTC' }],
    },
    answers: { version: expect.any(String) },
    needsNodes: true,
    refused: { input: { ...daily, type: 'noop', durable: true }, code: 'OBJECT_ALREADY_EXISTS' },
  },
  'jobs.edit': {
    input: { ...daily, description: 'Each day', data: { to: 'all', password: '***' }, clear: ['mustSucceedWithin'] },
    answers: { status: 'replaced' },
    refused: { input: { ...daily, description: 'x', ifVersion: 'another' }, code: 'CHANGED_MEANWHILE' },
  },
  'jobs.remove': { input: daily, answers: { triggers: expect.any(Number) }, refused: nobody },
  'jobs.removeMany': {
    input: { group: 'g', search: 'failing', dryRun: false },
    answers: { count: 2, keys: [{ name: 'failing' }, { name: 'failing-2' }], dryRun: false },
    refused: { input: {}, code: 'INVALID_INPUT' },
  },
  'jobs.fire': {
    input: { ...daily, data: { to: 'one', times: 2 } },
    answers: { trigger: { name: expect.any(String), group: expect.any(String) } },
    refused: nobody,
  },
  'jobs.pause': {
    input: { ...daily, reason: 'a "move"', until: '2100-01-01T00:00:00.000Z' },
    answers: { unconfirmed: [] },
    refused: nobody,
  },
  'jobs.resume': { input: { ...daily, alsoSingle: true }, answers: {}, refused: nobody },
};
