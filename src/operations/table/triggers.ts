import { z } from 'zod';
import { DEFAULT_GROUP } from '../../domain/keys';
import type { TriggerState } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import type { TriggerPlace } from '../../store/job-store';
import { cursorOf, keyPlace, placeIn } from '../cursor';
import { pageFields, pageOf, searchField, totalView } from '../fields';
import { operation } from '../operation';
import { totalOf } from '../views/plain';
import { stateField, triggerRow, triggerRowOf } from '../views/trigger-view';

/** Which triggers. */
export const triggerFilter = {
  group: z.string().min(1).max(190).optional().describe('Only of this group of triggers.'),
  job: z.string().min(1).max(190).optional().describe('Only of the job with this name, in `jobGroup` or DEFAULT.'),
  jobGroup: z.string().min(1).max(190).optional().describe('Group of `job`.'),
  state: z.array(stateField).min(1).max(7).optional().describe('Only in one of these states.'),
  paused: z.boolean().optional().describe('Only those that are paused; false: only those that are not.'),
  calendar: z.string().min(1).max(190).optional().describe('Only those that this calendar modifies.'),
  search: searchField('the name'),
};

type TriggerFilter = z.output<z.ZodObject<typeof triggerFilter>>;

const PAUSED: readonly TriggerState[] = ['PAUSED', 'PAUSED_BLOCKED'];

/** The same in the words of a store. */
export function triggerQuery({ group, job, jobGroup, state, paused, calendar, search }: TriggerFilter) {
  const asked = state ?? (paused === undefined ? undefined : stateField.options);
  const states = asked?.filter((each) => paused === undefined || PAUSED.includes(each) === paused);
  return {
    ...(group !== undefined && { group }),
    ...(job !== undefined && { jobKey: { name: job, group: jobGroup ?? DEFAULT_GROUP } }),
    ...(states !== undefined && { states }),
    ...(calendar !== undefined && { calendarName: calendar }),
    ...(search !== undefined && { search }),
  };
}

export const triggersList = operation({
  summary: 'Lists the triggers with their states, by name or by next fire time.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/triggers' },
  command: {
    words: ['triggers', 'list'],
    columns: ['key.group', 'key.name', 'job.name', 'schedule', 'state', 'nextFireTime', 'previousFireTime'],
  },
  input: z.strictObject({
    ...triggerFilter,
    sort: z
      .enum(['key', 'nextFireTime'])
      .default('key')
      .describe('key: by name, then group. nextFireTime: what never fires comes last.'),
    ...pageFields(),
  }),
  output: pageOf(triggerRow).extend({ total: totalView }),
  async run({ control }, { limit, after, sort, ...filter }) {
    const query = { ...triggerQuery(filter), sort, take: limit };
    const place = after === undefined ? {} : { after: sort === 'key' ? keyIn(after) : timeIn(after) };
    const page = await control.pageTriggers({ ...query, ...place });
    const last = page.items.at(-1);
    return {
      items: page.items.map(triggerRowOf),
      next: page.isMore && last !== undefined ? cursorOf(placeOf(last, sort)) : null,
      total: totalOf(page.total),
    };
  },
});

const timePlace = z.tuple([z.string(), z.string(), z.int().nullable(), z.int(), z.boolean()]);

function placeOf({ trigger }: FoundTrigger, sort: 'key' | 'nextFireTime') {
  const { key, kind, nextFireTime, priority } = trigger;
  return sort === 'key' ? [key.name, key.group] : [key.name, key.group, nextFireTime, priority, kind === 'AFTER'];
}

function keyIn(after: string): TriggerPlace {
  const [name, group] = placeIn(after, keyPlace);
  return { key: { name, group }, kind: 'SIMPLE', nextFireTime: null, priority: 0 };
}

function timeIn(after: string): TriggerPlace {
  const [name, group, nextFireTime, priority, waits] = placeIn(after, timePlace);
  return { key: { name, group }, kind: waits ? 'AFTER' : 'SIMPLE', nextFireTime, priority };
}
