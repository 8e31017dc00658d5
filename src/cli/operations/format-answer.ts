import { maxOf } from '../../base/lists';
import { DAYS } from '../../definitions/schedule-file-schema';
import type { OperationName, OutputOf } from '../../operations/operations';
import type { ExitReason } from '../exit-codes';
import { formatDuration } from '../format-duration';

/** Functions that convert the output of an operation for the terminal. `--json` prints the unconverted output. */
const FORMS: { readonly [Name in OperationName]?: (answer: OutputOf<Name>) => object } = {
  'overview.show': formatOverview,
  'nodes.list': ({ items }) => ({ items: items.map(formatNode) }),
  'nodes.drain': formatDrain,
  'doctor.check': formatFindings,
  'doctor.facts': formatFacts,
  'calendars.show': ({ definition, ...rest }) => ({ ...rest, definition: withNamedDays(definition) }),
};

export function shownToPeople(name: OperationName, answer: unknown): unknown {
  const form = FORMS[name] as ((answer: unknown) => object) | undefined;
  return form === undefined ? answer : form(answer);
}

/** Formats the answer to a drain: the runs that the node waits for, with their ages. */
function formatDrain({ drained, running, waitsFor, handedOver }: OutputOf<'nodes.drain'>): object {
  const runs = waitsFor.map(({ job, trigger, ageMs, runId }) => ({ job, trigger, age: formatDuration(ageMs), runId }));
  return {
    ...{ drained, running },
    ...(runs.length > 0 && { 'waits for': runs }),
    ...(handedOver.length > 0 && { 'handed over': handedOver }),
  };
}

/** Formats each finding as a block with one field per line, because table cells would truncate the texts. */
function formatFindings({ items }: OutputOf<'doctor.check'>): object {
  if (items.length === 0) return { items };
  return Object.fromEntries(
    items.map(({ id, severity, section, found, expected, advice, isRepairable }) => [
      `${severity} ${id}`,
      { id, section, found, expected, advice, ...(isRepairable && { repair: `quartz doctor repair ${id}` }) },
    ]),
  );
}

/** Formats facts as a table, or all as SQL text with comments if there are SQL statements, which table cells would truncate. */
function formatFacts(answer: OutputOf<'doctor.facts'>): object {
  const isSql = (section: string, value: string) => section === 'statements' && /^[A-Z]+\s/.test(value);
  if (!answer.items.some(({ section, value }) => isSql(section, value))) return answer;
  return answer.items.flatMap(({ section, name, value }) =>
    isSql(section, value) ? ['', `-- ${name}`, ...`${value};`.split('\n')] : [`-- ${section}: ${name}: ${value}`],
  );
}

/** Returns the exit reason of a command whose operation succeeded: PROBLEMS if `doctor check` found a problem, otherwise OK. */
export function endOf(name: OperationName, answer: unknown): ExitReason {
  if (name !== 'doctor.check') return 'OK';
  const { items } = answer as OutputOf<'doctor.check'>;
  return items.some(({ severity }) => severity === 'problem') ? 'PROBLEMS' : 'OK';
}

type Definition = Readonly<Record<string, unknown>>;

/** Writes the days of a calendar as schedule files do, such as `12-25` and `SAT`. Includes base calendars. */
function withNamedDays(definition: Definition): Definition {
  const { type, excludedDays, base } = definition;
  const nameOf = DAY_NAMES[String(type)];
  return {
    ...definition,
    ...(nameOf === undefined || !Array.isArray(excludedDays) ? {} : { excludedDays: excludedDays.map(nameOf) }),
    ...(base === undefined ? {} : { base: withNamedDays(base as Definition) }),
  };
}

const DAY_NAMES: Readonly<Record<string, (day: unknown) => unknown>> = {
  annual: (day) => (Array.isArray(day) ? day.map((part) => String(part).padStart(2, '0')).join('-') : day),
  weekly: (day) => DAYS[Number(day) - 1] ?? day,
};

type Overview = OutputOf<'overview.show'>;
type Load = NonNullable<Overview['load']>;

function formatOverview(overview: Overview): object {
  const { now, nextFireTime, executing, backlog, waitingSince, deadLetters, inError, runs, load } = overview;
  const lists = {
    triggersInError: overview.triggersInError.map(({ key, job, schedule }) => ({ key, job, schedule })),
    endedByCalendar: overview.endedByCalendar.map(({ key, job, calendar }) => ({ key, job, calendar })),
    overdue: overview.overdue,
    pausedGroups: overview.pausedGroups,
  };
  return {
    ...{ now, nextFireTime, running: executing, backlog },
    ...(waitingSince === null ? {} : { waitingSince }),
    ...{ deadLetters, inError },
    ...(load === null ? {} : formatLoad(load)),
    'runs of the last hour': runsOf(runs),
    nodes: overview.nodes.map(formatNode),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  };
}

function formatLoad({ firingsPerMinute, failedPerMinute, latenessMs, successRate, steps, stepMs }: Load): object {
  const late = (value: number | null) => (value === null ? '-' : formatDuration(value));
  const started = steps.map((step) => step.started);
  const failed = steps.map((step) => step.failed);
  const lateness = steps.map((step) => step.latenessMs.p99);
  const during = `in ${formatDuration(stepMs * steps.length)}`;
  const max = (values: readonly (number | null)[]) =>
    maxOf(
      values.flatMap((value) => value ?? []),
      0,
    );
  return {
    'a minute': `${firingsPerMinute} fired, ${failedPerMinute} failed`,
    lateness: `p50 ${late(latenessMs.p50)}, p99 ${late(latenessMs.p99)}`,
    'success rate': successRate === null ? null : `${Math.floor(successRate * 1_000) / 10} %`,
    [`fired ${during}`]: `${sparkline(started)}  at most ${max(started)} in ${formatDuration(stepMs)}`,
    [`failed ${during}`]: `${sparkline(failed)}  at most ${max(failed)}`,
    [`p99 lateness ${during}`]: `${sparkline(lateness)}  at most ${late(max(lateness))}`,
  };
}

function runsOf({ minutes, isTruncated }: Overview['runs']): string | null {
  const counts = new Map<string, number>();
  for (const { outcomes } of minutes)
    for (const [outcome, count = 0] of Object.entries(outcomes))
      counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  if (counts.size === 0) return null;
  return `${[...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}${isTruncated ? ' (only the newest 1,000 runs)' : ''}`;
}

const BARS = '▁▂▃▄▅▆▇█';

/** Returns a bar for each value, scaled from 0 to the largest value, and `·` for null. */
function sparkline(values: readonly (number | null)[]): string {
  const max = maxOf(
    values.map((value) => value ?? 0),
    1,
  );
  return values.map((value) => (value === null ? '·' : BARS[Math.ceil((value / max) * (BARS.length - 1))])).join('');
}

type Node = OutputOf<'nodes.list'>['items'][number];

export function nodeStateText(node: Pick<Node, 'state' | 'isDraining' | 'holdsBack'>): string {
  const { state, isDraining, holdsBack } = node;
  if (isDraining) return 'draining';
  // Omits the date, because a node holds back for a few minutes at most, and the row must fit on the terminal.
  return state === 'alive' && holdsBack !== null ? `holding back since ${toSecond(holdsBack.since).slice(11)}` : state;
}

function toSecond(instant: string): string {
  return instant.replace(/\.\d+/, '');
}

function formatNode(node: Node): object {
  const { instanceId, lastCheckInTime, version, host, load } = node;
  const late = (value: number | null | undefined) => (typeof value === 'number' ? formatDuration(value) : null);
  return {
    node: instanceId,
    state: nodeStateText(node),
    lastCheckIn: lastCheckInTime && toSecond(lastCheckInTime),
    version,
    // Omitted if the instance id starts with the host name, as generated ids do.
    host: host !== null && instanceId.startsWith(host) ? null : host,
    running: load && `${load.running}/${load.workers}`,
    'per min': load?.firingsPerMinute ?? null,
    failed: load?.failedPerMinute ?? null,
    'p50 late': late(load?.latenessMs.p50),
    'p99 late': late(load?.latenessMs.p99),
  };
}
