import type { OutputOf } from '../../../src/operations/operations';
import { durationText, timeText } from './format';
import { keyText } from './links';

type Timeline = OutputOf<'timeline.show'>;
type Lane = Timeline['lanes'][number];

/** One run in a lane. Instants in milliseconds. */
export interface Bar {
  readonly key: string;
  /** Where more is said of it. */
  readonly address: readonly string[];
  readonly from: number;
  readonly to: number;
  /** An outcome, or `running`. */
  readonly kind: string;
  readonly title: string;
  /** Bars at the same time stand below each other: on which line, from 0. */
  readonly level: number;
}

/** What stands from left to right. */
export interface LaneRow {
  readonly name: string;
  readonly address: readonly string[];
  readonly bars: readonly Bar[];
  /** How many lines the bars take; at least 1. */
  readonly levels: number;
  readonly coming: readonly number[];
}

/** A lane for each trigger that has something to show. */
export function rowsByTrigger({ lanes, now }: Timeline): readonly LaneRow[] {
  return lanes
    .map((lane) => ({
      name: keyText(lane.trigger),
      address: ['triggers', lane.trigger.group, lane.trigger.name],
      ...stacked(barsOf(lane, Date.parse(now)).map(({ bar }) => bar)),
      coming: lane.coming.map((time) => Date.parse(time)),
    }))
    .filter(({ bars, coming }) => bars.length + coming.length > 0);
}

/** A lane for each node on which something ran or runs. Which node will fire what is not known. */
export function rowsByNode({ lanes, now }: Timeline): readonly LaneRow[] {
  const nodes = new Map<string, Omit<Bar, 'level'>[]>();
  for (const { node, bar } of lanes.flatMap((lane) => barsOf(lane, Date.parse(now)))) {
    nodes.set(node, [...(nodes.get(node) ?? []), bar]);
  }
  return [...nodes]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, bars]) => ({ name, address: ['nodes'], ...stacked(bars), coming: [] }));
}

function barsOf(
  { trigger, runs, running }: Lane,
  now: number,
): readonly { readonly node: string; readonly bar: Omit<Bar, 'level'> }[] {
  const name = keyText(trigger);
  const ended = runs.map(({ runId, from, to, outcome, attempt, instanceId }) => ({
    node: instanceId,
    bar: {
      key: runId,
      address: ['runs', runId],
      from: Date.parse(from),
      to: Date.parse(to),
      kind: outcome,
      title: `${name}: ${outcome}, attempt ${attempt}, ${timeText(from)}, ${durationText(Date.parse(to) - Date.parse(from))}, on ${instanceId}`,
    },
  }));
  const still = running.map(({ runId, from, instanceId }) => ({
    node: instanceId,
    bar: {
      key: runId,
      address: ['running'],
      from: Date.parse(from),
      to: now,
      kind: 'running',
      title: `${name}: running since ${timeText(from)} on ${instanceId}`,
    },
  }));
  return [...ended, ...still];
}

/** So many lines are told apart; what else runs at the same time is drawn on the last one. */
const MOST_LEVELS = 6;

function stacked(bars: readonly Omit<Bar, 'level'>[]): { readonly bars: readonly Bar[]; readonly levels: number } {
  const ends: number[] = [];
  const placed = [...bars]
    .sort((a, b) => a.from - b.from)
    .map((bar) => {
      const free = ends.findIndex((end) => end <= bar.from);
      const level = Math.min(free === -1 ? ends.length : free, MOST_LEVELS - 1);
      ends[level] = bar.to;
      return { ...bar, level };
    });
  return { bars: placed, levels: Math.max(1, ends.length) };
}
