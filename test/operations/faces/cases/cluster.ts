import { type CasesOf, TAKES_NOTHING } from './case';

type Names =
  | 'scheduler.show'
  | 'rules.show'
  | 'rules.set'
  | 'overview.show'
  | 'nodes.list'
  | 'doctor.check'
  | 'doctor.facts'
  | 'doctor.repair'
  | 'actions.list';

export const CLUSTER: CasesOf<Names> = {
  'scheduler.show': {
    input: {},
    answers: { schedulerName: 'Reports', timeZone: 'Europe/Berlin' },
    refused: TAKES_NOTHING,
    ofAnswerer: ['schedulerInstanceId'],
  },
  'rules.show': {
    input: {},
    answers: {
      rules: 'safe',
      clockChanges: 'quartz',
      differences: expect.arrayContaining([expect.objectContaining({ name: 'end times' })]),
    },
    refused: TAKES_NOTHING,
  },
  'rules.set': {
    input: { rules: 'safe' },
    answers: { status: 'unchanged' },
    changesNothing: true,
    refused: { input: { rules: 'strict' }, code: 'INVALID_INPUT' },
  },
  'overview.show': {
    input: {},
    answers: { executing: 3, deadLetters: { count: 2 }, inError: { count: 1 }, nodes: [{ instanceId: 'node-1' }] },
    refused: TAKES_NOTHING,
    ofAnswerer: ['node'],
  },
  'nodes.list': {
    input: {},
    answers: { items: [{ instanceId: 'node-1', state: 'alive', isThisNode: false }] },
    refused: TAKES_NOTHING,
  },
  'doctor.check': {
    input: {},
    answers: { items: expect.arrayContaining([expect.objectContaining({ id: 'triggersInError' })]) },
    ofAnswerer: ['notReady'], // a command is not a node
    refused: TAKES_NOTHING,
  },
  'doctor.facts': {
    input: {},
    answers: { items: expect.arrayContaining([expect.objectContaining({ section: 'cluster' })]) },
    refused: TAKES_NOTHING,
  },
  'doctor.repair': {
    input: { findings: ['triggersInError', 'stuckTriggers'] },
    answers: {
      items: [
        { id: 'triggersInError', count: 1 },
        { id: 'stuckTriggers', count: 1 },
      ],
    },
    refused: { input: { findings: ['tiredOperators'] }, code: 'INVALID_INPUT' },
  },
  'actions.list': {
    input: { actor: 'ada', operation: 'jobs.add', search: 'hunter' },
    answers: { items: [] },
    refused: { input: { since: 'yesterday' }, code: 'INVALID_INPUT' },
  },
};
