import type { CasesOf } from './case';

type Names =
  | 'runs.list'
  | 'runs.show'
  | 'runs.rerun'
  | 'deadLetters.list'
  | 'deadLetters.rerun'
  | 'deadLetters.discard'
  | 'deadLetters.setRetries'
  | 'firings.list'
  | 'occurrences.list'
  | 'overdue.list'
  | 'timeline.show';

const neither = { input: {}, code: 'INVALID_INPUT' } as const;

export const RUNS: CasesOf<Names> = {
  'runs.list': {
    input: { job: 'failing', jobGroup: 'g', outcome: ['failed'], limit: 1, search: 'mail server' },
    answers: { items: [{ job: { name: 'failing' }, attempt: 2 }], next: expect.any(String) },
    refused: { input: { after: 'nowhere' }, code: 'INVALID_ARGUMENT' },
  },
  'runs.show': {
    input: ({ deadLetters: [id] }) => ({ runId: id }),
    answers: { isDeadLetter: true, lines: [{ message: 'it begins', data: { rows: 3 } }], attempts: [{}, {}] },
    refused: { input: { runId: 'abc-def' }, code: 'NOT_FOUND' },
  },
  'runs.rerun': {
    input: ({ deadLetters: [runId] }) => ({ runId }),
    answers: { rerun: true },
    refused: { input: { runId: 'abc-def' }, code: 'NOT_FOUND' },
  },
  'deadLetters.list': {
    input: { jobGroup: 'g', search: 'failing' },
    answers: { items: [{ isDeadLetter: true }, { isDeadLetter: true }], next: null },
    refused: { input: { outcome: ['sideways'] }, code: 'INVALID_INPUT' },
  },
  'deadLetters.rerun': {
    input: ({ deadLetters: [id] }) => ({ runIds: [id] }),
    answers: { count: 1 },
    refused: neither,
  },
  'deadLetters.discard': {
    input: { all: true, jobGroup: 'g' },
    answers: { count: 2 },
    refused: neither,
  },
  'deadLetters.setRetries': {
    input: ({ deadLetters: [first, second] }) => ({ runIds: [first, second], max: 3 }),
    answers: { count: 2 },
    refused: { input: { all: true, max: -1 }, code: 'INVALID_INPUT' },
  },
  'firings.list': {
    input: { node: 'node-1', limit: 2 },
    answers: { items: [{ instanceId: 'node-1' }, { instanceId: 'node-1' }], total: 3 },
    refused: { input: { limit: 1_001 }, code: 'INVALID_INPUT' },
  },
  'occurrences.list': {
    input: { limit: 5 },
    answers: { items: [{ job: { name: 'parts' }, parts: 2, remaining: 2 }] },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'overdue.list': {
    input: {},
    answers: { items: [{ job: { name: 'daily' }, mustSucceedWithinMs: 1_000 }] },
    refused: { input: { limit: 0 }, code: 'INVALID_INPUT' },
  },
  'timeline.show': {
    input: { from: '2100-01-01T00:00:00.000Z', to: '2100-01-03T00:00:00.000Z', search: 'b' },
    answers: { lanes: expect.arrayContaining([expect.objectContaining({ trigger: { name: 'broken', group: 'g' } })]) },
    refused: { input: { from: '2027-01-02T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' }, code: 'INVALID_INPUT' },
  },
};
