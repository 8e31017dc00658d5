import { maxOf } from '../../base/lists';
import type { OutputOf } from '../../operations/operations';
import { formatDuration } from '../parse-duration';
import { formatNode } from './format-node';

type Overview = OutputOf<'overview.show'>;
type Load = NonNullable<Overview['load']>;

export function formatOverview(overview: Overview): object {
  const { now, nextFireTime, executing, backlog, waitingSince, deadLetters, inError, runs, load } = overview;
  return {
    ...{ now, nextFireTime, running: executing, backlog },
    ...(waitingSince === null ? {} : { waitingSince }),
    ...{ deadLetters, inError },
    ...(load === null ? {} : formatLoad(load)),
    'runs of the last hour': runsOf(runs),
    nodes: overview.nodes.map(formatNode),
    ...whereAny({
      triggersInError: overview.triggersInError.map(({ key, job, schedule }) => ({ key, job, schedule })),
      overdue: overview.overdue,
      pausedGroups: overview.pausedGroups,
    }),
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

function whereAny(lists: Readonly<Record<string, readonly unknown[]>>): object {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
