import type { OutputOf } from '../../../src/operations/operations';
import { href } from '../state/router';
import { durationText, timeText } from './format';

type Run = OutputOf<'runs.list'>['items'][number];

const HEIGHT = 96;
const BAR = 12;
const STEP = 15;
/** Minimum height of a bar in pixels, so that short runs are visible. */
const MIN_BAR_HEIGHT = 3;

/** Chart of recent runs, oldest on the left. Hidden from screen readers, because the table below contains the same data. */
export function RunChart({ runs }: { readonly runs: readonly Run[] }) {
  if (runs.length === 0) return null;
  const max = Math.max(1, ...runs.map(({ durationMs }) => durationMs));
  const width = Math.max(240, runs.length * STEP);
  return (
    <div class="scroll body">
      <svg
        class="chart bars"
        viewBox={`0 -14 ${width} ${HEIGHT + 16}`}
        style={{ width: `${width}px` }}
        aria-hidden="true"
      >
        <text x={0} y={-4}>
          {durationText(max)}
        </text>
        <line class="mark" x1={0} x2={width} y1={0} y2={0} />
        <line class="mark" x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
        {[...runs].reverse().map((run, index) => {
          const height = Math.max(MIN_BAR_HEIGHT, (run.durationMs / max) * HEIGHT);
          const label = `${run.outcome} after ${durationText(run.durationMs)}, ${timeText(run.endTime)}`;
          return (
            <a key={run.runId} href={href(['runs', run.runId])} tabindex={-1}>
              <rect
                class={`run ${run.outcome}`}
                x={index * STEP}
                y={HEIGHT - height}
                width={BAR}
                height={height}
                rx={2}
              >
                <title>{label}</title>
              </rect>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

export function RunLegend() {
  return (
    <p class="legend">
      <i class="run succeeded" /> succeeded <i class="run failed" /> failed, timed out or lost{' '}
      <i class="run misfired" /> misfired or interrupted <i class="run" /> skipped or vetoed
    </p>
  );
}
