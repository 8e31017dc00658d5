import { z } from 'zod';
import { given } from '../base/given';
import { DEFAULT_GROUP, GroupMatcher } from '../domain/keys';
import { isPaused, isWaiting } from '../domain/trigger-state';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';
import type { KeyPage, TriggerPageQuery, TriggerPlace } from '../store/job-store';
import { backlogEnd, countBacklog } from './cluster-figures';
import { searchField, textField } from './fields';
import { stateField } from './views/trigger-view';

export const triggerFilter = {
  group: textField(190, 'Only triggers of this group.'),
  job: textField(
    190,
    'Only triggers of this job: `group/name`, a name in the group DEFAULT, or a name together with `jobGroup`.',
  ),
  jobGroup: textField(190, 'Group of `job`.'),
  state: z.array(stateField).min(1).max(7).optional().describe('Only triggers in one of these states.'),
  paused: z.boolean().optional().describe('True: only paused triggers. False: only triggers that are not paused.'),
  backlog: z
    .literal(true)
    .optional()
    .describe('Only waiting triggers whose fire time passed more than a second ago, the oldest first.'),
  calendar: textField(190, 'Only triggers with this calendar.'),
  search: searchField('the key, `group/name`'),
};

type TriggerFilter = z.output<z.ZodObject<typeof triggerFilter>>;

type Page = KeyPage<FoundTrigger, TriggerPlace>;

/** Returns a page of triggers. `backlog` needs `sort: nextFireTime` and counts up to 1,000. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function pageTriggers(
  control: SchedulerControl,
  filter: TriggerFilter,
  part: Pick<TriggerPageQuery, 'sort' | 'after' | 'take'>,
): Promise<Page> {
  if (!filter.backlog) return control.pageTriggers({ ...queryOf(filter), ...part });
  // Reads one trigger more than requested, because the cursor alone does not show whether the next trigger belongs to the backlog.
  const page = await control.pageTriggers({ ...queryOf(filter), ...part, take: part.take + 1, omitTotal: true });
  const isSelected = Object.entries(filter).some(([name, value]) => name !== 'backlog' && value !== undefined);
  const total = isSelected || part.after !== undefined ? null : await countBacklog(control);
  return { ...firstOf(upTo(backlogEnd(control.now()), page), part.take), total };
}

type Part = Pick<Page, 'items' | 'next'>;

/** Truncates a page sorted by fire time at the first trigger that is not due before `end`. */
function upTo(end: number, { items, next }: Part): Part {
  const isBefore = ({ nextFireTime }: Pick<TriggerPlace, 'nextFireTime'>) =>
    nextFireTime !== null && nextFireTime < end;
  const count = items.findIndex(({ trigger }) => !isBefore(trigger));
  return { items: count < 0 ? items : items.slice(0, count), next: next !== null && isBefore(next) ? next : null };
}

function firstOf({ items, next }: Part, take: number): Part {
  const last = items[take - 1]?.trigger;
  if (items.length <= take || last === undefined) return { items, next };
  const { key, kind, nextFireTime, priority } = last;
  return { items: items.slice(0, take), next: { key, kind, nextFireTime, priority, isDormant: false } };
}

/** Returns the matcher of one group; undefined for all groups. */
export const groupOf = (group: string | undefined) =>
  group === undefined ? undefined : GroupMatcher.groupEquals(group);

function queryOf({ group, job, jobGroup, state, paused, backlog, calendar, search }: TriggerFilter) {
  const all = state ?? (paused === undefined && !backlog ? undefined : stateField.options);
  const states = all?.filter(
    (each) => (paused === undefined || isPaused(each) === paused) && (!backlog || isWaiting(each)),
  );
  const jobKey = job === undefined ? undefined : { name: job, group: jobGroup ?? DEFAULT_GROUP };
  return given({ group: groupOf(group), jobKey, states, calendarName: calendar, search });
}
