import { useEffect, useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { isWatching } from './live';
import { scheduler } from './session';

export type Line = OutputOf<'runs.show'>['lines'][number];
type Progress = OutputOf<'firings.list'>['items'][number]['progress'];

export interface RunLines {
  /** The newest. */
  readonly lines: readonly Line[];
  /** How many lines came before these, and are not to be had here. */
  readonly missed: number;
  readonly progress: Progress;
  /** `gone`: it does not execute (any more). */
  readonly state: 'open' | 'lost' | 'ended' | 'gone';
}

/** A page with more of them would become slow. */
const MOST_LINES = 2_000;

const NOTHING: RunLines = { lines: [], missed: 0, progress: null, state: 'open' };

/** What a run says while it goes on. A hidden page does not listen, and goes on where it was. */
export function useRunLines(runId: string): RunLines {
  const [said, setSaid] = useState({ id: runId, seen: 0, ...NOTHING });
  const known = said.id === runId ? said : { id: runId, seen: 0, ...NOTHING };
  const isWanted = isWatching.value && known.state !== 'ended';
  useEffect(() => {
    if (!isWanted) return;
    const path = `api/schedulers/${encodeURIComponent(scheduler.value)}/firings/${encodeURIComponent(runId)}`;
    const source = new EventSource(`${path}/lines?after=${known.seen}`);
    const change = (of: (old: typeof known) => Partial<typeof known>) =>
      setSaid((old) => {
        const base = old.id === runId ? old : known;
        return { ...base, ...of(base) };
      });
    source.onopen = () => change(() => ({ state: 'open' }));
    // The server answers that there is no such run, which is final, or does not answer.
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
  }, [runId, isWanted, scheduler.value]);
  return known;
}

function withLine({ lines, missed }: RunLines, line: Line, seen: number) {
  const all = [...lines, line];
  const cut = Math.max(0, all.length - MOST_LINES);
  return { lines: all.slice(cut), missed: missed + cut, seen };
}
