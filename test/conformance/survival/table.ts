/*
 * Results for a run and its occurrence, by kind of job. The guide "Guarantees" shows these tables (test/docs/survival.test.ts), and
 * survival.test.ts plays each cell on every store.
 */

/** Kinds of jobs, in the order of the columns. */
export const KINDS = ['plain', 'retry', 'requestsRecovery', 'one-off', 'shard', 'chain', 'limited'] as const;
export type Kind = (typeof KINDS)[number];

/** Definition of each kind, for the guide. */
export const MEANINGS: Readonly<Record<Kind, string>> = {
  plain: 'fires repeatedly, with default settings',
  retry: 'fires repeatedly, and has retries left',
  requestsRecovery: 'fires repeatedly, and has `requestsRecovery`',
  'one-off': 'fires once, with default settings',
  shard: 'fires repeatedly in [parts](shards-and-broadcasts.md). The fate is that of one part',
  chain: 'starts [after another job](chains.md) has succeeded',
  limited: 'fires repeatedly, and has a [concurrency limit](concurrency-limits.md) that is reached',
};

/** Fates of an occurrence, in the words of the guide. */
export const FATES = {
  'goes on': 'The run continues, and its end counts as usual.',
  'runs again': 'Any node repeats the run as the same attempt, with its checkpoint. No attempt is used up.',
  retry: 'The next attempt follows, after the delay of the retry policy.',
  'dead letter': 'Nothing repeats it. It is listed as a dead letter until you rerun or discard it.',
  'next time':
    'Nothing repeats it. The job runs at its next fire time, or when the job that it waits for succeeds again.',
  runs: 'The event has no effect: the run starts when it is due.',
  waits:
    'The run starts when the pause ends, the calendar allows it, or a node registers the type. A first run that is late by more than `misfireThreshold` follows its misfire instruction.',
  ends: 'Nothing runs.',
} as const;
export type Fate = keyof typeof FATES;

type Cells = Readonly<Record<Kind, Fate>>;

export interface Row<Event extends string = string> {
  readonly event: Event;
  /** The event in the words of the guide. */
  readonly text: string;
  readonly cells: Cells;
}

const all = (fate: Fate): Cells => Object.fromEntries(KINDS.map((kind) => [kind, fate])) as Cells;

const lost: Cells = {
  ...all('next time'),
  requestsRecovery: 'runs again',
  'one-off': 'dead letter',
  shard: 'runs again',
};
const handedOver: Cells = { ...lost, retry: 'runs again' };

/** Events that happen while a run executes. */
export const WHILE_IT_EXECUTES = [
  {
    event: 'fails',
    text: 'the job throws',
    cells: { ...all('next time'), retry: 'retry', 'one-off': 'dead letter' },
  },
  { event: 'factory fails', text: 'its factory fails on one node', cells: all('runs again') },
  { event: 'stopped', text: 'its node stops, and the job throws when the deadline aborts it', cells: handedOver },
  {
    event: 'stopped, does not end',
    text: 'its node stops, and the job ignores its signal (once the process has ended)',
    cells: handedOver,
  },
  { event: 'killed', text: 'its node is killed', cells: lost },
  { event: 'fenced', text: 'its node loses its lease, and another node takes over', cells: lost },
  {
    event: 'fenced alone',
    text: 'its node loses its lease, no node takes over, and the job throws',
    cells: { ...lost, retry: 'retry' },
  },
  { event: 'changed', text: 'its job and its trigger are changed', cells: all('goes on') },
  { event: 'deleted', text: 'its job is deleted', cells: all('goes on') },
  { event: 'paused', text: 'its job is paused', cells: all('goes on') },
  { event: 'calendar', text: 'its calendar is changed, and excludes the fire time', cells: all('goes on') },
] as const satisfies readonly Row[];

/** The waiting occurrence of each kind. */
export const WAITING: Readonly<Record<Kind, string>> = {
  plain: 'a fire time that is due',
  retry: 'its retry',
  requestsRecovery: 'its recovery',
  'one-off': 'its fire time',
  shard: 'one of its parts',
  chain: 'the chained run',
  limited: 'a fire time, for the limit',
};

/** Events that happen while an occurrence waits to run. */
export const WHILE_IT_WAITS = [
  { event: 'changed', text: 'its trigger is changed, and keeps the fire time', cells: all('runs') },
  {
    event: 'changed to other times',
    text: 'its trigger is changed to other fire times',
    cells: { ...all('runs'), plain: 'next time', 'one-off': 'next time', limited: 'next time' },
  },
  {
    event: 'deleted',
    text: 'its job is deleted',
    cells: { ...all('ends'), retry: 'dead letter', requestsRecovery: 'dead letter' },
  },
  { event: 'paused', text: 'its job is paused', cells: all('waits') },
  {
    event: 'calendar',
    text: 'its calendar is changed, and excludes the fire time',
    cells: {
      ...all('runs'),
      plain: 'next time',
      retry: 'waits',
      'one-off': 'waits',
      chain: 'waits',
      limited: 'next time',
    },
  },
  { event: 'type unknown', text: 'no node registers its job type', cells: all('waits') },
] as const satisfies readonly Row[];

export type ExecutionEvent = (typeof WHILE_IT_EXECUTES)[number]['event'];
export type WaitingEvent = (typeof WHILE_IT_WAITS)[number]['event'];
