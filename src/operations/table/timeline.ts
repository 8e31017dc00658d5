import { z } from 'zod';
import type { ExecutingJob } from '../../api/reading';
import type { Run } from '../../api/runs';
import { toTrigger } from '../../api/trigger';
import { given } from '../../base/given';
import type { Calendar } from '../../domain/calendars/calendar';
import { keyContains, keyText, type TriggerKey } from '../../domain/keys';
import type { Rules } from '../../domain/rules';
import { isDormant } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import { instant, keyView, searchField, timeView, unreadableField } from '../fields';
import { type OperationContext, query } from '../operation';
import { Problem } from '../problem';
import { comingTimes } from '../views/coming-times';
import { outcomeField } from '../views/run-view';

/** Limits of the range and response. `times` limits all lanes together, because computing fire times may block the event loop for at most 50 ms. */
const LIMITS = { spanMs: 7 * 86_400_000, runs: 1_000, timesOfLane: 200, times: 6_000 } as const;

const HOUR_MS = 3_600_000;

const laneView = z.object({
  ...unreadableField,
  trigger: keyView,
  job: keyView,
  state: z.string().nullable().describe('Null if the trigger is no longer stored.'),
  runs: z.array(
    z.object({
      runId: z.string(),
      at: timeView.describe('Scheduled fire time.'),
      from: timeView,
      to: timeView,
      outcome: outcomeField,
      attempt: z.int(),
      instanceId: z.string(),
    }),
  ),
  running: z.array(
    z.object({ runId: z.string(), from: timeView, instanceId: z.string(), fraction: z.number().nullable() }),
  ),
  coming: z
    .array(timeView)
    .describe(
      `Future fire times, at most ${LIMITS.timesOfLane}; fewer with more than ${LIMITS.times / LIMITS.timesOfLane} lanes, ` +
        `at most ${LIMITS.times} in total.`,
    ),
});

type Lane = z.input<typeof laneView>;

export const timelineShow = query({
  summary: 'Shows past runs, current runs and future fire times in a time range, by trigger.',
  http: { method: 'GET', path: '/timeline' },
  command: { words: ['timeline', 'show'] },
  input: z.strictObject({
    from: instant.optional().describe('Start of the time range. Default: an hour ago, or an hour before `to`.'),
    to: instant
      .optional()
      .describe(
        'End of the time range, at most seven days later. Default: an hour from now, or two hours after `from`.',
      ),
    search: searchField('the key of the trigger (`group/name`)'),
    lanes: z
      .int()
      .min(1)
      .max(200)
      .default(50)
      .describe('Maximum number of triggers: first triggers with running jobs, then triggers by next fire time.'),
  }),
  output: z.object({
    now: timeView,
    lanes: z.array(laneView),
    isTruncated: z.boolean().describe('True if some triggers or runs are missing.'),
  }),
  async run(context, { from, to, search, lanes }) {
    const span = spanOf({ from, to }, context.control.now());
    const found = await read(context, span, { lanes, search });
    const all = lanesOf(found, span, context.control.rules);
    const isTruncated = all.length > lanes || found.isTruncated;
    return { now: span.now, lanes: all.slice(0, lanes), isTruncated };
  },
});

/** Returns the requested time range, with defaults filled in. Throws INVALID_INPUT. */
function spanOf(given: { readonly from?: string | undefined; readonly to?: string | undefined }, now: number): Span {
  const last = given.to === undefined ? null : Date.parse(given.to);
  const from = given.from === undefined ? (last ?? now) - HOUR_MS : Date.parse(given.from);
  const to = last ?? (given.from === undefined ? now + HOUR_MS : from + 2 * HOUR_MS);
  if (to > from && to - from <= LIMITS.spanMs) return { from, to, now };
  const found = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
  throw new Problem('INVALID_INPUT', `Expected \`to\` within seven days after \`from\`, found ${found}.`);
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

interface Found {
  readonly runs: readonly Run[];
  readonly executing: readonly ExecutingJob[];
  readonly triggers: readonly FoundTrigger[];
  readonly calendars: ReadonlyMap<string, Calendar>;
  readonly isTruncated: boolean;
}

async function read(
  { scheduler, control }: OperationContext,
  span: Span,
  { lanes, search }: { readonly lanes: number; readonly search: string | undefined },
): Promise<Found> {
  const chosen = given({ search });
  const [runs, executing, { items, next }] = await Promise.all([
    control.recentRuns({ since: span.from, until: span.to, take: LIMITS.runs, ...chosen }),
    scheduler.listExecutingJobs(),
    control.pageTriggers({ sort: 'nextFireTime', take: lanes, omitTotal: true, ...chosen }),
  ]);
  const isSelected = (key: TriggerKey) => search === undefined || keyContains(key, search);
  const selected = {
    runs: runs.items.filter(({ triggerKey }) => isSelected(triggerKey)),
    executing: executing.filter(({ triggerKey }) => isSelected(triggerKey)),
  };
  const triggers = [...items, ...(await control.findTriggers(othersOf(selected, items).slice(0, lanes)))];
  const names = new Set(triggers.flatMap(({ trigger }) => trigger.calendarName ?? []));
  const calendars = new Map<string, Calendar>();
  for (const name of names) {
    const calendar = await scheduler.getCalendar(name).catch(() => null); // a calendar that this node cannot read: its triggers are shown without it
    if (calendar !== null) calendars.set(name, calendar);
  }
  return { ...selected, triggers, calendars, isTruncated: runs.next !== null || next !== null };
}

/** Returns the keys of other triggers that have running or recorded runs, running first, then newest first. */
function othersOf(
  { runs, executing }: Pick<Found, 'runs' | 'executing'>,
  known: readonly FoundTrigger[],
): readonly TriggerKey[] {
  const others = new Map([...executing, ...runs].map(({ triggerKey }) => [keyText(triggerKey), triggerKey]));
  for (const { trigger } of known) others.delete(keyText(trigger.key));
  return [...others.values()];
}

/** Returns the lanes: triggers with running jobs, then the newest runs, then the next fire times. */
function lanesOf({ runs, executing, triggers, calendars }: Found, span: Span, rules: Rules): readonly Lane[] {
  const lanes = new Map<string, Lane>();
  const laneOf = (trigger: Lane['trigger'], job: Lane['job']) => {
    const lane = lanes.get(keyText(trigger)) ?? { trigger, job, state: null, runs: [], running: [], coming: [] };
    lanes.set(keyText(trigger), lane);
    return lane;
  };
  for (const { triggerKey, jobKey, fireTime, instanceId, runId, progress } of executing) {
    const running = { runId, from: fireTime, instanceId, fraction: progress?.fraction ?? null };
    laneOf(triggerKey, jobKey).running.push(running);
  }
  for (const run of runs) laneOf(run.triggerKey, run.jobKey).runs.push(toBar(run));
  const count = Math.min(LIMITS.timesOfLane, Math.floor(LIMITS.times / Math.max(1, triggers.length)));
  for (const { trigger, state } of triggers) {
    const lane = laneOf(trigger.key, trigger.jobKey);
    lane.state = state;
    if (trigger.unreadable !== undefined || isDormant(state)) continue;
    const calendar = trigger.calendarName === null ? null : (calendars.get(trigger.calendarName) ?? null);
    const times = comingTimes(toTrigger(trigger), calendar, { until: span.to, count, rules });
    lane.coming = times.filter((time) => time >= span.from);
  }
  return [...lanes.values()];
}

function toBar(run: Run): Lane['runs'][number] {
  return { ...run, at: run.scheduledFireTime, from: run.fireTime, to: run.endTime };
}
