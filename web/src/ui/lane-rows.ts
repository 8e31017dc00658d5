import type { OutputOf } from '../../../src/operations/operations';
import { durationText, timeText } from './format';
import { keyText } from './links';

type Timeline = OutputOf<'timeline.show'>;
type Lane = Timeline['lanes'][number];

/** Bar of a run in a lane. Times are in epoch milliseconds. */
export interface Bar {
  readonly key: string;
  readonly address: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Outcome of the run, or `running`. */
  readonly kind: string;
  readonly title: string;
  /** Line within the lane, from 0. Bars of concurrent runs are on different lines. */
  readonly level: number;
}

/** Lane of the timeline, for a trigger or a node. */
export interface LaneRow {
  readonly name: string;
  readonly address: readonly string[];
  readonly bars: readonly Bar[];
  readonly levels: number;
  readonly coming: readonly number[];
}

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

/** Returns a lane for each node with runs. Contains no fire times, because the node that will fire is not yet known. */
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

/** Maximum number of lines in a lane. Further bars share the last line. */
const MAX_LEVELS = 6;

function stacked(bars: readonly Omit<Bar, 'level'>[]): { readonly bars: readonly Bar[]; readonly levels: number } {
  const ends: number[] = [];
  const placed = [...bars]
    .sort((a, b) => a.from - b.from)
    .map((bar) => {
      const free = ends.findIndex((end) => end <= bar.from);
      const level = Math.min(free === -1 ? ends.length : free, MAX_LEVELS - 1);
      ends[level] = bar.to;
      return { ...bar, level };
    });
  return { bars: placed, levels: Math.max(1, ends.length) };
}
