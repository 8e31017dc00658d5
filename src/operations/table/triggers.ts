import { z } from 'zod';
import { toTrigger } from '../../api/trigger';
import { triggerEntryOf } from '../../definitions/write-entries';
import { targetOf } from '../../domain/declaration';
import { triggerVersion } from '../../domain/definition-version';
import { isDormant, isPaused } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import { triggerCursor, triggerPlace } from '../../store/list-cursor';
import { placeAfter } from '../cursor';
import { pageFields, pageOf, searchedKeyFields, timeView, totalView } from '../fields';
import { findTrigger } from '../find-stored';
import { type OperationContext, query } from '../operation';
import { pageTriggers, triggerFilter } from '../page-triggers';
import { comingTimes } from '../views/coming-times';
import { ownershipFields, ownershipMark, ownershipMarks, ownershipOf } from '../views/owner-view';
import { triggerRow, triggerRowOf } from '../views/trigger-view';

export const triggersList = query({
  summary: 'Lists the triggers with their states, sorted by name or by next fire time.',
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
      .describe(
        'Sort order. key: by name, then group. nextFireTime: triggers that will fire, then paused triggers and triggers in ERROR, then triggers that never fire.',
      ),
    ...pageFields(),
  }),
  output: pageOf(triggerRow.extend(ownershipMark)).extend({ total: totalView }),
  async run(context, { limit, after, sort: requested, ...filter }) {
    const sort = filter.backlog ? 'nextFireTime' : requested;
    const place = after === undefined ? {} : { after: placeAfter(after, (text) => triggerPlace(text, sort)) };
    const page = await pageTriggers(context.control, filter, { sort, take: limit, ...place });
    const targets = page.items.map(({ trigger }) => targetOf('trigger', trigger.key));
    const markOf = await ownershipMarks(context, targets);
    return {
      items: page.items.map((each) => ({ ...triggerRowOf(each), ...markOf(targetOf('trigger', each.trigger.key)) })),
      next: page.next && triggerCursor(page.next, sort),
      total: page.total,
    };
  },
});

export const triggersShow = query({
  summary: 'Shows a trigger in the form of a schedule file, with its state, its pause and its next fire times.',
  http: { method: 'GET', path: '/triggers/:group/:name' },
  command: { words: ['triggers', 'show'], arguments: ['name'] },
  input: z.strictObject({
    ...searchedKeyFields('trigger'),
    count: z.int().min(0).max(100).default(10).describe('Maximum number of fire times to show.'),
  }),
  output: triggerRow.extend({
    definition: z
      .record(z.string(), z.unknown())
      .describe('The trigger in the form of a schedule file. Secrets are shown as ***.'),
    version: z.string().describe('Version of the definition, for `ifVersion` of an edit.'),
    startTime: timeView,
    endTime: timeView.nullable(),
    ...ownershipFields,
    timesTriggered: z.int().nullable().describe('Number of firings; null for trigger kinds without a count.'),
    fireTimes: z
      .array(timeView)
      .describe(
        'Next fire times. For a paused trigger, fire times after the end of the pause. Empty if the pause has no end, or in the states ERROR and COMPLETE.',
      ),
  }),
  async run(context, { count, ...key }) {
    const found = await findTrigger(context, key);
    const { trigger } = found;
    return {
      ...triggerRowOf(found),
      definition: triggerEntryOf(trigger, context.control.now()),
      version: triggerVersion(trigger, await context.control.versionKey()),
      startTime: trigger.startTime,
      endTime: trigger.endTime,
      ...(await ownershipOf(context, targetOf('trigger', trigger.key))),
      timesTriggered: 'timesTriggered' in trigger ? trigger.timesTriggered : null,
      fireTimes: await fireTimesOf(context, found, count),
    };
  },
});

async function fireTimesOf({ scheduler, control }: OperationContext, found: FoundTrigger, count: number) {
  const { trigger, state, pause } = found;
  const resumedAt = isPaused(state) ? (pause?.until ?? null) : null;
  if (trigger.unreadable !== undefined || (isDormant(state) && resumedAt === null)) return [];
  const { calendarName } = trigger;
  const calendar = calendarName === null ? null : await scheduler.getCalendar(calendarName);
  const from = resumedAt === null ? {} : { from: resumedAt.getTime() };
  return comingTimes(toTrigger(trigger), calendar, { ...from, until: Number.MAX_VALUE, count, rules: control.rules });
}
