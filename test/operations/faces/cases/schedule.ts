import type { CasesOf } from './case';

type Names =
  | 'calendars.list'
  | 'calendars.show'
  | 'calendars.add'
  | 'calendars.edit'
  | 'calendars.remove'
  | 'calendars.year'
  | 'cron.preview'
  | 'schedule.plan'
  | 'schedule.apply'
  | 'overrides.list'
  | 'overrides.drop';

const nobody = { input: { name: 'nobody' }, code: 'CALENDAR_NOT_FOUND' } as const;

const FILE = `
jobs:
  - name: declared
    group: files
    type: noop
    durable: true
    description: "of a file: 任务"
    triggers:
      - { name: weekly, calendarInterval: { interval: 1, unit: WEEK }, startAt: "2100-01-01T00:00", timeZone: UTC }
`;
const wrong = { input: { text: 'jobs:\n  - { name: 3 }\n' }, code: 'CONFIGURATION' } as const;

export const SCHEDULES: CasesOf<Names> = {
  'overrides.list': {
    input: {},
    answers: {
      items: [
        {
          ...{
            what: 'job',
            group: 'files',
            name: 'edited',
            owner: { kind: 'file', file: 'files.yaml', by: expect.any(String) },
          },
          override: { deleted: null, fields: [{ field: 'description' }], declared: { name: 'edited' } },
        },
      ],
      next: null,
    },
    refused: { input: { after: '{' }, code: 'INVALID_INPUT' },
  },
  'overrides.drop': {
    input: { what: 'job', group: 'files', name: 'edited' },
    answers: { restored: 1 },
    refused: { input: { what: 'job', name: 'nobody' }, code: 'NOT_FOUND' },
  },
  'calendars.list': {
    input: { limit: 1 },
    answers: { items: [{ name: 'holidays', type: 'annual' }], next: '["holidays"]' },
    refused: { input: { after: '{' }, code: 'INVALID_INPUT' },
  },
  'calendars.show': {
    input: { name: 'holidays' },
    answers: { definition: { type: 'annual' }, triggers: [{ name: 'noon', group: 'g' }] },
    refused: nobody,
  },
  'calendars.add': {
    input: { name: 'nights', type: 'daily', from: '22:00', to: '23:59', base: 'holidays', timeZone: 'UTC' },
    answers: { version: expect.any(String) },
    refused: { input: { name: 'holidays', type: 'base' }, code: 'OBJECT_ALREADY_EXISTS' },
  },
  'calendars.edit': {
    input: { name: 'holidays', type: 'annual', excludedDays: ['12-25'], timeZone: 'UTC' },
    answers: { status: 'replaced' },
    refused: { input: { name: 'holidays', type: 'cron', cronExpression: 'x' }, code: 'INVALID_INPUT' },
  },
  'calendars.remove': {
    input: { name: 'unused' },
    answers: {},
    refused: { input: { name: 'holidays' }, code: 'CALENDAR_IN_USE' },
  },
  'calendars.year': {
    input: { name: 'holidays', year: 2028 },
    answers: { whole: ['2028-12-25', '2028-12-26'] },
    refused: { input: { name: 'holidays', year: 1 }, code: 'INVALID_INPUT' },
  },
  'cron.preview': {
    input: { cron: '0 30 2 * 3 ?', timeZone: 'Europe/Berlin', from: '2027-03-27T00:00:00.000Z', count: 3 },
    answers: { kind: 'cron', fireTimes: [{}, {}, {}], warnings: [{ code: 'CLOCK_FORWARD' }] },
    refused: { input: { cron: '0 0 0 ? ? ?' }, code: 'INVALID_INPUT' },
  },
  'schedule.plan': {
    input: { text: FILE, file: 'files.yaml' },
    answers: {
      changes: [
        { action: 'replace', what: 'job', name: 'declared' },
        { action: 'create', what: 'trigger', name: 'weekly' },
      ],
    },
    refused: wrong,
  },
  'schedule.apply': {
    input: { text: FILE, file: 'files.yaml' },
    answers: { created: 1, replaced: 1 },
    needsNodes: true,
    refused: wrong,
  },
};
