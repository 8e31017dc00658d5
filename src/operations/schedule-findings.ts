import type { NodeInfo } from '../api/reading';
import type { Scheduler } from '../api/scheduler';
import { addAll } from '../base/lists';
import { inSlices, mapping } from '../base/steps';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, keyText } from '../domain/keys';
import { emptyPlaces } from '../domain/limit-claims';
import { HELD_STATES, isAcquired } from '../domain/trigger-state';
import type { SchedulerControl } from '../scheduler/control';
import type { FoundTrigger } from '../scheduler/control-reads';
import type { NamedCalendar, TriggerPlace } from '../store/job-store';
import type { ClusterFigures } from './cluster-figures';
import { type Draft, type Drafts, draftOf } from './finding';
import { instantOf } from './views/plain';

/** Lateness above which a reserved trigger counts as stuck, in milliseconds. */
const STUCK_AFTER_MS = 60_000;
const MAX_CHECKED = 1_000;

/** Returns a number with its noun in singular or plural, followed by the matching form of the verb, if given. */
function counted(
  of: number | { readonly count: number; readonly isExact: boolean },
  one: string,
  many: string,
): string {
  const { count, isExact } = typeof of === 'number' ? { count: of, isExact: true } : of;
  return `${isExact ? count : `more than ${count}`} ${isExact && count === 1 ? one : many}`;
}

export function figureFindings({
  backlog,
  waitingSince,
  inError,
  triggersInError,
  deadLetters,
  endedByCalendar,
}: ClusterFigures): Drafts {
  const since = waitingSince === null ? '' : `. The oldest was due at ${instantOf(waitingSince)}`;
  const first = triggersInError.map(({ trigger }) => formatKey(trigger.key)).join(', ');
  return {
    backlog: draftOf(backlog.count, {
      severity: 'warning',
      expected: 'triggers that fire on time',
      found: `${counted(backlog, 'waiting trigger has', 'waiting triggers have')} a past fire time${since}.`,
      advice: 'Run `quartz triggers explain` to see the reason, such as a job type that no node has, or busy workers.',
    }),
    triggersInError: draftOf(inError.count, {
      severity: 'problem',
      expected: 'no trigger in the state ERROR',
      found: `${counted(inError, 'trigger is in the state ERROR and does', 'triggers are in the state ERROR and do')} not fire: ${first}.`,
      advice: 'Find the cause in the log and fix it, then reset the triggers.',
    }),
    endedByCalendar: draftOf(endedByCalendar.length, {
      severity: 'warning',
      expected: 'calendars that leave each trigger a fire time',
      found: `Triggers that do not fire, because their calendar excludes all their fire times: ${endedByCalendar
        .map(({ trigger }) => `${formatKey(trigger.key)} (calendar ${trigger.calendarName})`)
        .join(', ')}.`,
      advice: 'Correct the calendar. Its triggers then fire again.',
    }),
    deadLetters: draftOf(deadLetters.count, {
      severity: 'warning',
      expected: 'no dead letters',
      found: `${counted(deadLetters, 'failed run has', 'failed runs have')} no retries left (dead letters).`,
      advice: 'Fix the cause and rerun the dead letters, or discard them.',
    }),
  };
}

interface ReadSchedule {
  readonly jobs: readonly JobDetail[];
  readonly triggers: readonly FoundTrigger[];
  readonly calendars: readonly NamedCalendar[];
  /** False if the store has more than `READ.max` jobs, triggers or calendars, so that some of them were not read. */
  readonly isWhole: boolean;
}

const READ = { page: 500, max: 10_000 } as const;

/** Reads jobs, triggers and calendars page by page, up to `READ.max` of each. Rejects with STORE_FAILURE or SCHEDULER_STATE. */
export async function readSchedule(control: SchedulerControl): Promise<ReadSchedule> {
  const take = READ.page;
  const [jobs, triggers, calendars] = await Promise.all([
    readAll((after?: JobKey) => control.pageJobs({ ...(after && { after }), take })),
    readAll((after?: TriggerPlace) =>
      control.pageTriggers({ ...(after && { after }), sort: 'key', take, omitTotal: true }),
    ),
    readAll((after?: string) => control.pageCalendars({ ...(after && { after }), take })),
  ]);
  const isWhole = [jobs, triggers, calendars].every((each) => each.isWhole);
  return { jobs: jobs.items, triggers: triggers.items, calendars: calendars.items, isWhole };
}

async function readAll<Item, Place>(
  page: (after?: Place) => Promise<{ readonly items: readonly Item[]; readonly next: Place | null }>,
): Promise<{ readonly items: readonly Item[]; readonly isWhole: boolean }> {
  const items: Item[] = [];
  let next: Place | null | undefined;
  do {
    const read: Awaited<ReturnType<typeof page>> = await page(next ?? undefined);
    addAll(items, read.items);
    next = read.next;
  } while (next !== null && items.length < READ.max);
  return { items, isWhole: next === null };
}

/** Returns the finding for stored job types that no node has published. Null if there are none, or if a node, such as a Java node, publishes none. */
export function jobTypesFinding(nodes: readonly NodeInfo[], { jobs }: ReadSchedule): Draft | null {
  if (nodes.length === 0 || nodes.some(({ jobTypes }) => jobTypes === null)) return null;
  const known = new Set(nodes.flatMap(({ jobTypes }) => jobTypes ?? []));
  const missing = [...new Set(jobs.map(({ jobType }) => jobType))].filter((type) => !known.has(type));
  return draftOf(missing.length, {
    severity: 'problem',
    expected: 'a node for every job type',
    found: `Job types that no node has registered: ${missing.slice(0, 20).join(', ')}.`,
    advice: 'Register these job types, start a node that registers them, or delete the jobs.',
  });
}

/** Returns the finding for chains that cannot start because a parent job is not stored, or null if there are none. */
export async function chainFinding({ triggers }: ReadSchedule, control: SchedulerControl): Promise<Draft | null> {
  const chains = triggers.flatMap(({ trigger }) => (trigger.kind === 'AFTER' ? [trigger] : []));
  const parents = new Map(chains.flatMap(({ after }) => after.map((key) => [keyText(key), key] as const)));
  const missing = new Set((await control.findMissingJobs([...parents.values()])).map(keyText));
  const broken = chains.flatMap(({ key, after }) => {
    const names = after.filter((each) => missing.has(keyText(each))).map(formatKey);
    return names.length === 0 ? [] : [`${formatKey(key)} waits for ${names.join(', ')}`];
  });
  return draftOf(broken.length, {
    severity: 'problem',
    expected: 'chained triggers whose jobs are stored',
    found: `${counted(broken.length, 'chained trigger waits', 'chained triggers wait')} for jobs that are not stored: ${broken.slice(0, 10).join('; ')}.`,
    advice: 'Store these jobs, or correct the `after` of the triggers.',
  });
}

/** Returns the finding for limit keys with placeholders that no job data fills, or null. Jobs with such a key share one limit by mistake. */
export async function limitKeyFinding(
  { triggers, jobs }: ReadSchedule,
  control: Pick<SchedulerControl, 'timeSlice'>,
): Promise<Draft | null> {
  const stored = new Map(jobs.map((job) => [keyText(job.key), job]));
  const faultOf = ({ trigger }: FoundTrigger) => {
    const jobDetail = stored.get(keyText(trigger.jobKey));
    const places = jobDetail === undefined ? [] : emptyPlaces({ trigger, jobDetail });
    return places.length === 0 ? [] : [`${formatKey(trigger.key)}: ${places.join(', ')}`];
  };
  const found = (await inSlices(mapping(triggers, faultOf), control.timeSlice())).flat();
  return draftOf(found.length, {
    severity: 'warning',
    expected: 'values for the placeholders of limit keys in the data of the trigger or its job',
    found: `${counted(found.length, 'trigger has', 'triggers have')} a limit key with a placeholder that has no value: ${found.slice(0, 10).join('; ')}.`,
    advice: 'Correct the name in the key, or add the value to the data. Firings without the value share one limit.',
  });
}

/** Returns stuck triggers: blocked although no run blocks them, or reserved although their fire time passed more than 60 s ago. */
export async function findStuck(scheduler: Scheduler, control: SchedulerControl): Promise<readonly FoundTrigger[]> {
  const jobs = async () => (await scheduler.listExecutingJobs()).map(({ jobKey }) => formatKey(jobKey));
  // A run may begin or end between two reads. A trigger is therefore stuck only if none of its runs appears in either read.
  const before = await jobs();
  const { items } = await control.pageTriggers({
    states: HELD_STATES,
    sort: 'nextFireTime',
    take: MAX_CHECKED,
  });
  const executing = new Set([...before, ...(await jobs())]);
  const longPast = control.now() - STUCK_AFTER_MS;
  return items.filter(({ trigger, state }) =>
    isAcquired(state)
      ? trigger.nextFireTime !== null && trigger.nextFireTime < longPast
      : !executing.has(formatKey(trigger.jobKey)),
  );
}

export function stuckFinding(stuck: readonly FoundTrigger[]): Draft | null {
  const first = stuck.slice(0, 10).map(({ trigger }) => formatKey(trigger.key));
  return draftOf(stuck.length, {
    severity: 'problem',
    expected: 'a run for each blocked trigger, and a node for each acquired trigger',
    found: `${counted(stuck.length, 'trigger is', 'triggers are')} stuck (blocked without a run, or acquired long ago): ${first.join(', ')}.`,
    advice: 'Nodes release these triggers automatically. To release them immediately, repair this finding.',
  });
}

export async function unreadableFinding(scheduler: Scheduler, schedule: ReadSchedule): Promise<Draft | null> {
  const met = (await scheduler.listUnreadable()).map(({ what, group, name, cause }) => {
    return [`${what} ${group === null ? name : formatKey({ group, name })}`, cause] as const;
  });
  const rows = new Map(
    [
      ...schedule.jobs.map(({ key, unreadable }) => [`job ${formatKey(key)}`, unreadable] as const),
      ...schedule.triggers.map(({ trigger }) => [`trigger ${formatKey(trigger.key)}`, trigger.unreadable] as const),
      ...schedule.calendars.map(
        ({ name, data }) =>
          [
            `calendar ${name}`,
            data === null ? 'malformed, or of a Java class that Quartz does not have' : undefined,
          ] as const,
      ),
      ...met,
    ].filter(([, cause]) => cause !== undefined),
  );
  const first = [...rows].slice(0, 10).map(([row, cause]) => `${row} (${cause})`);
  const rest = schedule.isWhole
    ? ''
    : ` Only the first ${READ.max} rows were checked. \`quartz validate --stored\` checks all.`;
  return draftOf(rows.size, {
    severity: 'problem',
    expected: 'rows that this node can read',
    found: `This node cannot read ${counted(rows.size, 'row', 'rows')}: ${first.join('; ')}.${rest}`,
    advice: 'Store the definitions again, or leave the rows to nodes that can read them.',
  });
}
