import type { Client } from '../../../src/operations/client';
import { allOperations, type OperationName } from '../../../src/operations/operations';

/* Data of the busy node that its filled tables do not contain: executing runs, overrides and a backfill. */

/** A schedule file with the largest number of entries: a job with many triggers, and other jobs. All of them are deleted afterwards. */
const DECLARED = `jobs:
  - name: often
    group: declared
    type: noop
    triggers:
${Array.from({ length: 1_000 }, (_, index) => `      - { name: often ${index}, group: declared, cron: "0 0 0 29 2 ? *" }\n`).join('')}${Array.from({ length: 300 }, (_, index) => `  - { name: d${index}, group: declared, type: noop, durable: true }\n`).join('')}`;

const DURABLE = { group: 'held', type: 'stays', durable: true } as const;
/** Number of occurrences of the sharded job, and of firings of each other job. */
const OCCURRENCES = 2;
const FIRINGS = 10;

export async function holdWork(client: Client): Promise<void> {
  await client.call('schedule.apply', { text: DECLARED, file: 'declared.yaml' });
  await client.call('jobs.removeMany', { group: 'declared', dryRun: false });
  for (const name of ['stays', 'goes on']) await client.call('jobs.add', { ...DURABLE, name });
  await client.call('jobs.add', { ...DURABLE, name: 'noop', type: 'noop' });
  await client.call('jobs.add', { ...DURABLE, name: 'parts', spread: { shards: 8 } });
  for (const [name, count] of [
    ['stays', FIRINGS],
    ['goes on', FIRINGS],
    ['parts', OCCURRENCES],
  ] as const)
    for (let fired = 0; fired < count; fired++) await client.call('jobs.fire', { name, group: 'held' });
  const minutes = { name: 'minutes', group: 'held' };
  await client.call('triggers.add', {
    ...minutes,
    job: { name: 'noop', group: 'held' },
    cron: '0 * 0-22 1-7 1 ?',
    startAt: '2024-01-01',
  });
  const hour = { from: '2025-01-01T00:00:00.000Z', to: '2025-01-01T01:00:00.000Z' };
  await client.call('backfills.add', { ...minutes, ...hour, spacing: 'PT24H' });
  while ((await client.call('firings.list', {})).total < 2 * FIRINGS + 8 * OCCURRENCES)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Suffix of a run id; with a number before it, the id has the maximum length. */
const RUN_ID = 'x'.repeat(90);

async function deadLetters(client: Client, limit: number): Promise<readonly string[]> {
  const { items } = await client.call('deadLetters.list', { job: 'middle/j1', limit });
  return items.map(({ runId }) => runId);
}

/** Fields of an input whose values the node has chosen. */
export const CHOSEN_BY_NODE: { readonly [Name in OperationName]?: (client: Client) => Promise<object> } = {
  'firings.interrupt': async (client) => {
    const { items } = await client.call('firings.list', { job: 'held/goes on' });
    return { runId: items[0]?.runId };
  },
  'runs.show': async (client) => {
    const { items } = await client.call('runs.list', { outcome: ['succeeded'], limit: 1 });
    return { runId: items[0]?.runId };
  },
  'runs.rerun': async (client) => ({ runId: (await deadLetters(client, 1))[0] }),
  // The maximum number of ids, half of them of existing runs.
  'deadLetters.rerun': async (client) => ({
    runIds: [...(await deadLetters(client, 500)), ...Array.from({ length: 500 }, (_, index) => `${index}-${RUN_ID}`)],
  }),
  'backfills.drop': async (client) => {
    const { items } = await client.call('backfills.list', {});
    return { group: items.toSorted((one, other) => other.left - one.left)[0]?.group };
  },
};

const EFFECTS = ['reads', 'changes', 'destroys'];
/**
 * Additions come first, and deletions last. But dead letters are discarded before others are rerun: a thousand concurrent runs would block the
 * loop by their work, and not by the request.
 */
const FIRST: readonly OperationName[] = ['calendars.add', 'deadLetters.list', 'deadLetters.discard'];
const rankOf = ([name, { effect }]: ReturnType<typeof allOperations>[number]) =>
  FIRST.includes(name) ? -1 : EFFECTS.indexOf(effect);

export function inOrderOfEffect() {
  return [...allOperations()].sort((one, other) => rankOf(one) - rankOf(other));
}

/** Fields with a list or a count of results. */
const AMOUNTS = ['items', 'keys', 'count', 'restored', 'lanes', 'fireTimes', 'changes', 'created', 'days', 'lines'];

/** True for an operation that was refused, or found nothing. */
export function isEmpty(answer: string): boolean {
  if (!answer.startsWith('{')) return true;
  const values = Object.entries(JSON.parse(answer)).filter(([field]) => AMOUNTS.includes(field));
  return values.some(([, value]) => value === 0 || (Array.isArray(value) && value.length === 0));
}
