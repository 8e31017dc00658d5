import { type RunLine, toRunLine } from '../api/runs';
import { sleepFor } from '../base/sleep';
import { MAX_TAIL_BYTES, NO_TAIL, type RunProgress, type RunTail } from '../domain/progress';
import type { RunLine as StoredLine } from '../domain/run';
import { detailOf } from '../domain/run-detail';
import type { RunningFiring } from '../store/cluster-store';
import type { SchedulerParts } from './scheduler-parts';

const INTERVAL_MS = 1_000;

/** Output of a run that one poll has read. `isOver` is true if no more output will follow. */
interface RunReading {
  readonly tail: RunTail;
  readonly progress: RunProgress | null;
  readonly isOver: boolean;
}

export interface RunNews {
  /** Number of lines logged before the first of `lines`. If greater than the number reported so far, the lines between are lost. */
  readonly first: number;
  readonly lines: readonly RunLine[];
  /** Current progress of the run; null if it has reported none. */
  readonly progress: RunProgress | null;
}

type ReadRun = (from: number) => Promise<RunReading | null>;

/** Passes each line of a run to `onLine` until the run ends or `signal` aborts. Resolves with false if the run is not executing. */
export function tailRun(
  parts: SchedulerParts,
  runId: string,
  onLine: (line: RunLine) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const onNews = ({ lines }: RunNews) => {
    for (const line of lines) onLine(line);
  };
  return followRun(parts, runId, onNews, signal);
}

/** Polls a run once a second until it ends or `signal` aborts. Calls `onNews` after each poll. Resolves with false if the run is not executing. */
export async function followRun(
  parts: SchedulerParts,
  runId: string,
  onNews: (news: RunNews) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const read = readHere(parts, runId) ?? readThere(parts, runId);
  let next = 0;
  for (let count = 0; !signal.aborted; count++) {
    const seen = await read(next);
    if (seen === null) return count > 0;
    const { skipped, lines } = seen.tail;
    const first = Math.max(next, skipped);
    onNews({ first, lines: lines.slice(first - skipped).map(toRunLine), progress: seen.progress });
    next = Math.max(next, skipped + lines.length);
    if (seen.isOver) return true;
    await sleepFor(parts.clock, INTERVAL_MS, signal);
  }
  return true;
}

/** Returns a reader of a run in this process's memory, or null if the run is not executing on this node. */
function readHere({ engine }: SchedulerParts, runId: string): ReadRun | null {
  const run = engine.listRuns().find(({ firing }) => firing.runId === runId);
  if (run === undefined) return null;
  return async (from) => {
    const isOver = run.isAbandoned || !engine.listRuns().includes(run);
    const { notes } = run;
    const progress = notes?.progress ?? null;
    return {
      tail: notes?.tail(from === 0 ? MAX_TAIL_BYTES : Infinity, from) ?? NO_TAIL,
      progress: progress && { ...progress, at: progress.at.getTime() },
      isOver,
    };
  };
}

/** Returns a reader of a run on another node. Reads the stored output while the run executes, and the run's history record after its end. */
function readThere(parts: SchedulerParts, runId: string): ReadRun {
  const { cluster } = parts.node;
  let running: RunningFiring | null = null;
  return async () => {
    const found = (await cluster?.store.findRunning(runId)) ?? null;
    const before: RunningFiring | null = running;
    running = found ?? before;
    if (found !== null) return { tail: found.tail, progress: found.progress, isOver: false };
    if (before === null) return null;
    return { tail: await restOf(parts, runId, before), progress: before.progress, isOver: true };
  };
}

/** Returns the recorded lines; the first of them may already have been reported. `skipped` is the number of lines that the run logged before them. */
async function restOf({ store }: SchedulerParts, runId: string, { tail }: RunningFiring): Promise<RunTail> {
  const { items } = await store.listRuns({ runIds: [runId], take: 1 });
  const [run] = items;
  if (run === undefined) return tail;
  const { lines = [] } = detailOf(run);
  const last = textOf(tail.lines.at(-1));
  const seen = lines.findLastIndex((line) => textOf(line) === last) + 1;
  return { skipped: tail.skipped + tail.lines.length - seen, lines };
}

function textOf(line: StoredLine | undefined): string {
  return JSON.stringify(line ?? null);
}
