import { useEffect, useRef, useState } from 'preact/hooks';
import { href } from '../state/router';
import { clockText, offsetAt, timeText } from './format';
import type { Bar, LaneRow } from './lane-rows';

const TOP = 20;
const LABEL = 178;
/** Height of the first line of a lane, and of each further line, in pixels. */
const LANE = 24;
const LEVEL = 9;
/** Minimum width of a bar in pixels, so that short runs are visible and can be clicked. */
const MIN_BAR_WIDTH = 4;
/** Distance in pixels below which neighbouring fire times are drawn as one band. */
const MIN_DISTANCE = 8;

/** Possible intervals between marks of the time axis, in milliseconds. */
const STEPS = [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000, 86_400_000];

export interface Span {
  readonly from: number;
  readonly to: number;
}

type Scale = (time: number) => number;

interface LanesProps {
  readonly rows: readonly LaneRow[];
  readonly now: number;
  readonly span: Span;
}

/** Chart of past runs, runs in progress and future fire times. Hidden from screen readers, because the table below contains the same data. */
export function Lanes({ rows, now, span }: LanesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const label = width < 560 ? 96 : LABEL;
  const scale = (time: number) => label + ((time - span.from) / (span.to - span.from)) * (width - label);
  const tops = rows.map((_, index) => TOP + rows.slice(0, index).reduce((sum, row) => sum + heightOf(row), 0));
  const height = TOP + rows.reduce((sum, row) => sum + heightOf(row), 0);
  const here = Math.min(Math.max(scale(now), label), width);
  return (
    <div ref={frame} class="lanes">
      <svg class="chart" width={width} height={height} aria-hidden="true">
        <rect class="future" x={here} y={TOP} width={width - here} height={height - TOP} />
        <Marks span={span} scale={scale} height={height} width={width} />
        {rows.map((row, index) => (
          <Row key={row.name} row={row} y={tops[index] ?? TOP} scale={scale} label={label} />
        ))}
        {now > span.from && now < span.to && <line class="now" x1={here} x2={here} y1={TOP - 6} y2={height} />}
      </svg>
    </div>
  );
}

function heightOf({ levels }: LaneRow): number {
  return LANE + (levels - 1) * LEVEL;
}

function useWidth(frame: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(900);
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(320, entry?.contentRect.width ?? 900)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return width;
}

interface MarksProps {
  readonly span: Span;
  readonly scale: Scale;
  readonly height: number;
  readonly width: number;
}

function Marks({ span, scale, height, width }: MarksProps) {
  const pixels = scale(span.to) - scale(span.from);
  const step = STEPS.find((each) => ((span.to - span.from) / each) * 70 < pixels) ?? 86_400_000;
  // Aligns the marks to round times in the chosen time zone.
  const offset = offsetAt(span.from);
  const first = Math.ceil((span.from + offset) / step) * step - offset;
  const count = Math.floor((span.to - first) / step) + 1;
  const isDay = step >= 86_400_000;
  return (
    <g>
      {Array.from({ length: count }, (_, index) => first + index * step).map((time) => (
        <g key={time}>
          <line class="mark" x1={scale(time)} x2={scale(time)} y1={TOP - 6} y2={height} />
          {scale(time) < width - 50 && (
            <text x={scale(time) + 3} y={12}>
              {isDay || isMidnight(time)
                ? timeText(time).slice(5, 10)
                : clockText(time).slice(0, step < 60_000 ? 8 : 5)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

/** Returns true for the start of a day, where the mark shows the date. */
function isMidnight(time: number): boolean {
  return clockText(time) === '00:00:00';
}

interface RowProps {
  readonly row: LaneRow;
  readonly y: number;
  readonly scale: Scale;
  readonly label: number;
}

function Row({ row, y, scale, label }: RowProps) {
  const { name, address, bars, levels, coming } = row;
  const fits = Math.floor(label / 6.8);
  const height = heightOf(row);
  const thick = levels === 1 ? LANE - 12 : LEVEL - 2;
  return (
    <g>
      <line class="lane" x1={0} x2="100%" y1={y + height - 0.5} y2={y + height - 0.5} />
      <a href={href(address)} tabindex={-1}>
        <text class="name" x={0} y={y + 16}>
          {name.length > fits ? `${name.slice(0, fits - 1)}…` : name}
          <title>{name}</title>
        </text>
      </a>
      <Coming times={coming} scale={scale} y={y + LANE / 2} />
      {bars.map((bar) => (
        <BarOf key={bar.key} bar={bar} scale={scale} y={y + 6 + bar.level * LEVEL} height={thick} laneStart={label} />
      ))}
    </g>
  );
}

interface BarProps {
  readonly bar: Bar;
  readonly scale: Scale;
  readonly y: number;
  readonly height: number;
  /** Left edge of the lane in pixels. Bars that start earlier are clipped. */
  readonly laneStart: number;
}

function BarOf({ bar: { from, to, kind, title, address }, scale, y, height, laneStart }: BarProps) {
  const x = Math.max(laneStart, scale(from));
  return (
    <a href={href(address)} tabindex={-1}>
      <rect class={`run ${kind}`} x={x} y={y} width={Math.max(MIN_BAR_WIDTH, scale(to) - x)} height={height} rx={1.5}>
        <title>{title}</title>
      </rect>
    </a>
  );
}

function Coming({ times, scale, y }: { readonly times: readonly number[]; readonly scale: Scale; readonly y: number }) {
  const [first, second] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return null;
  if (second !== undefined && (scale(last) - scale(first)) / (times.length - 1) < MIN_DISTANCE) {
    return (
      <rect class="often" x={scale(first)} y={y - 3} width={scale(last) - scale(first)} height={6} rx={3}>
        <title>{`fires at least ${times.length} times, starting at ${timeText(first)}`}</title>
      </rect>
    );
  }
  return (
    <>
      {times.map((time) => (
        <circle key={time} class="coming" cx={scale(time)} cy={y} r={3}>
          <title>{`fires at ${timeText(time)}`}</title>
        </circle>
      ))}
    </>
  );
}
