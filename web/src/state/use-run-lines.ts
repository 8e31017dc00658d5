import { useEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { isWatching } from './live';
import { scheduler } from './session';

export type Line = OutputOf<'runs.show'>['lines'][number];
type Progress = OutputOf<'firings.list'>['items'][number]['progress'];

export interface RunOutput {
  /** Newest log lines, at most 2,000. */
  readonly lines: readonly Line[];
  /** Number of earlier lines that are not available on this page. */
  readonly missed: number;
  readonly progress: Progress;
  /** State of the stream. `gone`: no such run is in progress. */
  readonly state: 'open' | 'lost' | 'ended' | 'gone';
}

/** Maximum number of lines to show, because more would slow down the page. */
const MAX_LINES = 2_000;

const NO_OUTPUT: RunOutput = { lines: [], missed: 0, progress: null, state: 'open' };

/** Streams the log lines and the progress of a run. A hidden page closes the stream, and continues after its last line once it is visible. */
export function useRunLines(runId: string): RunOutput {
  const [output, setOutput] = useState({ id: runId, seen: 0, ...NO_OUTPUT });
  const known = output.id === runId ? output : { id: runId, seen: 0, ...NO_OUTPUT };
  const isStreaming = isWatching.value && known.state !== 'ended';
  useEffect(() => {
    if (!isStreaming) return;
    const path = `api/schedulers/${encodeURIComponent(scheduler.value)}/firings/${encodeURIComponent(runId)}`;
    const source = new EventSource(`${path}/lines?after=${known.seen}`);
    const change = (changes: (old: typeof known) => Partial<typeof known>) =>
      setOutput((old) => {
        const base = old.id === runId ? old : known;
        return { ...base, ...changes(base) };
      });
    source.onopen = () => change(() => ({ state: 'open' }));
    // If the server knows no such run, the browser closes the source permanently. Otherwise the browser reconnects.
    source.onerror = () => change(() => ({ state: source.readyState === EventSource.CLOSED ? 'gone' : 'lost' }));
    source.addEventListener('line', ({ data, lastEventId }) => {
      change((old) => (Number(lastEventId) > old.seen ? withLine(old, JSON.parse(data), Number(lastEventId)) : {}));
    });
    source.addEventListener('gap', ({ data, lastEventId }) => {
      const { lines } = JSON.parse(data) as { readonly lines: number };
      change((old) => ({ missed: old.missed + lines, seen: Number(lastEventId) }));
    });
    source.addEventListener('progress', ({ data }) => change(() => ({ progress: JSON.parse(data) })));
    source.addEventListener('end', () => {
      source.close();
      change(() => ({ state: 'ended' }));
    });
    return () => source.close();
  }, [runId, isStreaming, scheduler.value]);
  return known;
}

function withLine({ lines, missed }: RunOutput, line: Line, seen: number) {
  const all = [...lines, line];
  const excess = Math.max(0, all.length - MAX_LINES);
  return { lines: all.slice(excess), missed: missed + excess, seen };
}
