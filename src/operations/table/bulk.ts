import { z } from 'zod';
import { addAll } from '../../base/lists';
import type { JobKey, TriggerKey } from '../../domain/keys';
import type { ScheduleChange } from '../../domain/schedule-change';
import { MAX_COUNT, type TriggerPlace } from '../../store/job-store';
import { keyView } from '../fields';
import { action, authorOf, irreversible, type OperationContext, type Shown } from '../operation';
import { pageTriggers, triggerFilter } from '../page-triggers';
import { invalidField, Problem } from '../problem';
import { countedKeys, selectionText } from '../recorded-changes';
import { jobFilter, jobQuery } from './jobs';
import { pauseFields, pauseOptions } from './pauses';

/** Maximum number of items changed in one transaction. */
const AT_ONCE = 200;
const KEYS_SHOWN = 20;

const bulkFields = {
  all: z.boolean().default(false).describe('Required if no filter is given: selects everything.'),
  dryRun: z.boolean().default(true).describe('Changes nothing and lists what would be changed.'),
};

const bulkResult = z.object({
  count: z.int().describe('Number of changed items; for a dry run, the number of matches, counted up to 1,000.'),
  isExact: z.boolean().describe('False if there are more items than the count.'),
  keys: z.array(keyView).describe(`Keys of the first ${KEYS_SHOWN} matches.`),
  dryRun: z.boolean(),
});

interface KeysPage<Key, Place> {
  readonly keys: readonly Key[];
  readonly next: Place | null;
  readonly total: { readonly count: number; readonly isExact: boolean } | null;
}

interface Bulk<Key, Place> {
  readonly what: 'jobs' | 'triggers';
  readonly read: (after: Place | undefined, take: number) => Promise<KeysPage<Key, Place>>;
  readonly change: (keys: readonly Key[]) => Promise<unknown>;
}

interface BulkChoice extends z.output<z.ZodObject<typeof bulkFields>> {
  readonly filter: Readonly<Record<string, unknown>>;
}

/**
 * Changes all selected items, 200 per transaction. Also changes items that are added during the operation if they sort after the current page. A dry
 * run changes nothing. Rejects with CANCELLED between two transactions if no client is waiting for the response any more.
 */
async function inBulk<Key extends JobKey | TriggerKey, Place>(
  { signal, note }: OperationContext,
  { all, dryRun, filter }: BulkChoice,
  { what, read, change }: Bulk<Key, Place>,
): Promise<Shown<typeof bulkResult>> {
  requireChoice(filter, all);
  note({ target: `${what}: ${selectionText(filter)}` });
  if (dryRun) return { ...(await firstKeys(read)), dryRun };
  let count = 0;
  const keys: Key[] = [];
  let page: KeysPage<Key, Place> | null = null;
  while (page === null || page.next !== null) {
    if (signal.aborted) throw new Problem('CANCELLED', `The client disconnected. Items changed before: ${count}.`);
    page = await read(page?.next ?? undefined, AT_ONCE);
    if (page.keys.length > 0) await change(page.keys);
    count += page.keys.length;
    addAll(keys, page.keys.slice(0, KEYS_SHOWN - keys.length));
    note({ changes: countedKeys(what, keys, count) });
  }
  return { keys, count, isExact: true, dryRun };
}

/** Returns the first keys and the total number of keys. If the store does not count the list, counts up to `MAX_COUNT` keys. */
async function firstKeys<Key, Place>(read: Bulk<Key, Place>['read']) {
  const { keys, next, total } = await read(undefined, KEYS_SHOWN);
  if (total !== null) return { keys, ...total };
  const found = [...keys];
  let place = next;
  while (place !== null && found.length < MAX_COUNT) {
    const page = await read(place, AT_ONCE);
    addAll(found, page.keys);
    place = page.next;
  }
  return { keys: found.slice(0, KEYS_SHOWN), count: found.length, isExact: place === null };
}

/** Throws INVALID_INPUT unless either a filter or `all` is given, so that no caller selects everything by mistake. */
function requireChoice(filter: object, all: boolean): void {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (isFiltered !== all) return;
  throw invalidField(
    'all',
    isFiltered ? 'expected a filter or all, found both' : 'expected a filter, or all: true, found neither',
  );
}

function triggersInBulk(
  context: OperationContext,
  { all, dryRun, ...filter }: z.output<z.ZodObject<typeof triggerFilter & typeof bulkFields>>,
  change: (keys: readonly TriggerKey[]) => Promise<unknown>,
) {
  const sort = filter.backlog ? 'nextFireTime' : 'key';
  const read = async (after: TriggerPlace | undefined, take: number) => {
    const page = await pageTriggers(context.control, filter, { sort, take, ...(after && { after }) });
    return { ...page, keys: page.items.map(({ trigger }) => trigger.key) };
  };
  return inBulk(context, { all, dryRun, filter }, { what: 'triggers', read, change });
}

export const triggersPauseMany = action('operator', {
  summary: 'Pauses all matching triggers. A dry run by default.',
  http: { method: 'POST', path: '/triggers/pause' },
  command: { words: ['triggers', 'pause-many'] },
  input: z.strictObject({ ...triggerFilter, ...bulkFields, ...pauseFields }),
  output: bulkResult.extend({
    unconfirmed: z.array(z.string()).describe('Nodes that have not confirmed the pause.'),
  }),
  async run(context, { reason, until, holdRetries, ...choice }) {
    const unconfirmed = new Set<string>();
    const options = pauseOptions(context, { reason, until, holdRetries });
    const result = await triggersInBulk(context, choice, async (keys) => {
      const report = await context.control.pauseTriggers(keys, options);
      for (const node of report.unconfirmed) unconfirmed.add(node);
    });
    return { ...result, unconfirmed: [...unconfirmed] };
  },
});

export const triggersResumeMany = action('operator', {
  summary: 'Resumes all matching triggers. A dry run by default.',
  http: { method: 'POST', path: '/triggers/resume' },
  command: { words: ['triggers', 'resume-many'] },
  input: z.strictObject({ ...triggerFilter, ...bulkFields }),
  output: bulkResult,
  run: (context, choice) => triggersInBulk(context, choice, (keys) => context.control.resumeTriggers(keys)),
});

export const triggersRemoveMany = irreversible('admin', {
  summary: 'Deletes all matching triggers, and each non-durable job with its last trigger. A dry run by default.',
  http: { method: 'POST', path: '/triggers/remove' },
  command: { words: ['triggers', 'remove-many'] },
  input: z.strictObject({ ...triggerFilter, ...bulkFields }),
  output: bulkResult,
  run: (context, choice) =>
    triggersInBulk(context, choice, (keys) =>
      context.control.apply(
        keys.map((key): ScheduleChange => ({ type: 'deleteTrigger', key })),
        authorOf(context),
      ),
    ),
});

export const jobsRemoveMany = irreversible('admin', {
  summary: 'Deletes all matching jobs with their triggers. A dry run by default.',
  http: { method: 'POST', path: '/jobs/remove' },
  command: { words: ['jobs', 'remove-many'] },
  input: z.strictObject({ ...jobFilter, ...bulkFields }),
  output: bulkResult,
  run(context, { all, dryRun, ...filter }) {
    const { control } = context;
    const read = async (after: JobKey | undefined, take: number) => {
      const page = await control.pageJobs({ ...jobQuery(filter), take, ...(after && { after }) });
      return { ...page, keys: page.items.map(({ key }) => key) };
    };
    const change = (keys: readonly JobKey[]) =>
      control.apply(
        keys.map((key): ScheduleChange => ({ type: 'deleteJob', key })),
        authorOf(context),
      );
    return inBulk(context, { all, dryRun, filter }, { what: 'jobs', read, change });
  },
});
