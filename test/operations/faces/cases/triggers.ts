import { type CasesOf, TAKES_NOTHING } from './case';

type Names =
  | 'triggers.list'
  | 'triggers.show'
  | 'triggers.explain'
  | 'triggers.add'
  | 'triggers.edit'
  | 'triggers.remove'
  | 'triggers.pause'
  | 'triggers.resume'
  | 'triggers.reset'
  | 'triggers.pauseMany'
  | 'triggers.resumeMany'
  | 'triggers.removeMany'
  | 'backfills.list'
  | 'backfills.add'
  | 'backfills.drop'
  | 'pauses.list'
  | 'groups.list'
  | 'groups.pause'
  | 'groups.resume'
  | 'scheduler.pauseAll'
  | 'scheduler.resumeAll';

const noon = { name: 'noon', group: 'g' } as const;
const nobody = { input: { name: 'nobody', group: 'g' }, code: 'TRIGGER_NOT_FOUND' } as const;
const noFilter = { input: { dryRun: false }, code: 'INVALID_INPUT' } as const;
const span = { from: '2010-01-01T00:00:00.000Z', to: '2013-01-01T00:00:00.000Z' } as const;

export const TRIGGERS: CasesOf<Names> = {
  'triggers.list': {
    input: { state: ['ERROR', 'PAUSED'], sort: 'nextFireTime', job: 'daily', jobGroup: 'g' },
    answers: { items: [{ key: { name: 'stopped' }, pause: { reason: 'a move' } }, { key: { name: 'broken' } }] },
    refused: { input: { after: 'nowhere' }, code: 'INVALID_INPUT' },
  },
  'triggers.show': {
    input: { ...noon, count: 2 },
    answers: { key: noon, calendar: 'holidays', fireTimes: [expect.any(String), expect.any(String)] },
    refused: nobody,
  },
  'triggers.explain': {
    input: { name: 'stopped', group: 'g' },
    answers: {
      state: 'PAUSED',
      reasons: expect.arrayContaining([{ code: 'paused', text: expect.stringContaining('a move') }]),
    },
    refused: nobody,
  },
  'triggers.add': {
    input: {
      ...{ name: ' trailing ', group: 'g', job: { name: 'daily', group: 'g' }, priority: 7, misfire: 'skip' },
      ...{ dailyTimeInterval: { interval: 15, unit: 'MINUTE', daysOfWeek: ['MON', 'TUE'] }, timeZone: 'UTC' },
      ...{ startAt: '2100-01-01T00:00', data: { a: 1 } },
    },
    answers: { key: { name: ' trailing ', group: 'g' }, nextFireTime: '2100-01-04T00:00:00.000Z' },
    refused: { input: { name: 'x', job: { name: 'daily', group: 'g' }, cron: '0 0 25 * * ?' }, code: 'INVALID_INPUT' },
  },
  'triggers.edit': {
    input: {
      ...noon,
      cron: '0 30 12 1 1 ?',
      clear: ['calendar'],
      startAt: '2030-01-01T00:00',
      description: 'Half an hour later',
    },
    answers: { status: 'replaced' },
    refused: { input: { ...noon, calendar: 'none' }, code: 'CALENDAR_NOT_FOUND' },
  },
  'triggers.remove': { input: noon, answers: { jobs: [] }, refused: nobody },
  'triggers.pause': {
    input: { ...noon, reason: 'It waits.' },
    answers: { unconfirmed: [] },
    refused: { input: { ...noon, until: '1999-01-01T00:00:00.000Z' }, code: 'INVALID_ARGUMENT' },
  },
  'triggers.resume': {
    input: { name: 'stopped', group: 'g' },
    answers: {},
    refused: nobody,
  },
  'triggers.reset': {
    input: { name: 'broken', group: 'g' },
    answers: {},
    refused: nobody,
  },
  'triggers.pauseMany': {
    input: { job: 'daily', jobGroup: 'g', paused: false, dryRun: false, reason: 'all of them' },
    answers: { count: expect.any(Number), dryRun: false, unconfirmed: [] },
    refused: noFilter,
  },
  'triggers.resumeMany': {
    input: { all: true, dryRun: false },
    answers: { dryRun: false, isExact: true },
    refused: noFilter,
  },
  'triggers.removeMany': {
    input: { group: 'g', search: 'st', dryRun: false },
    answers: { count: 2, keys: [{ name: 'stopped' }, { name: 'stuck' }] },
    refused: noFilter,
  },
  'backfills.list': {
    input: {},
    answers: { items: [{ trigger: noon, left: expect.any(Number) }] },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'backfills.add': {
    input: { ...noon, ...span, spacing: 'PT10M' },
    answers: { group: expect.stringMatching(/^BACKFILL/), count: 3 },
    refused: { input: { name: 'nobody', group: 'g', ...span }, code: 'TRIGGER_NOT_FOUND' },
  },
  'backfills.drop': {
    input: ({ backfill }) => ({ group: backfill }),
    answers: { count: expect.any(Number) },
    refused: { input: { group: 'g' }, code: 'INVALID_ARGUMENT' },
  },
  'pauses.list': {
    input: {},
    answers: { items: [{ target: { kind: 'trigger', key: { name: 'stopped' } }, reason: 'a move', by: 'ada' }] },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'groups.list': {
    input: { limit: 2 },
    answers: {
      items: [{ of: 'triggers', isPaused: false, pause: null }, { of: 'triggers' }],
      next: expect.any(String),
    },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'groups.pause': {
    input: { name: 'g', reason: 'a move', holdRetries: false },
    answers: { unconfirmed: [] },
    refused: { input: { name: 'g', of: 'calendars' }, code: 'INVALID_INPUT' },
  },
  'groups.resume': {
    input: { name: 'g', of: 'jobs', alsoSingle: true },
    answers: {},
    refused: { input: { name: 'g', of: 'calendars' }, code: 'INVALID_INPUT' },
  },
  'scheduler.pauseAll': {
    input: { reason: 'Everything stops.' },
    answers: { unconfirmed: [] },
    refused: { input: { until: '1999-01-01T00:00:00.000Z' }, code: 'INVALID_ARGUMENT' },
  },
  'scheduler.resumeAll': { input: { alsoSingle: true }, answers: {}, refused: TAKES_NOTHING },
};
