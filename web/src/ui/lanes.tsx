import { useEffect, useRef, useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { href } from '../state/router';
import { clockText, durationText, timeText } from './format';
import { keyText } from './links';

type Timeline = OutputOf<'timeline.show'>;
type Lane = Timeline['lanes'][number];

const LANE = 26;
const TOP = 22;
const LABEL = 190;
/** What is shorter could not be seen or met. */
const NARROWEST = 5;

/** Round steps between two marks of the time. Milliseconds. */
const STEPS = [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000, 86_400_000];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What ran, runs and will fire: a lane for each trigger, the time from left to right. The table below it says the same. */
export function Lanes({ timeline, span }: { readonly timeline: Timeline; readonly span: Span }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const label = width < 560 ? 96 : LABEL;
  const scale = (time: number) => label + ((time - span.from) / (span.to - span.from)) * (width - label);
  const height = TOP + timeline.lanes.length * LANE;
  const now = Date.parse(timeline.now);
  return (
    <div ref={frame} class="lanes">
      <svg
        class="chart"
        width={width}
        height={height}
        role="img"
        aria-label="Firings by trigger; the table below holds the same"
      >
        <Marks span={span} scale={scale} height={height} />
        {timeline.lanes.map((lane, index) => (
          <LaneRow
            key={keyText(lane.trigger)}
            lane={lane}
            y={TOP + index * LANE}
            scale={scale}
            now={now}
            label={label}
          />
        ))}
        {now > span.from && now < span.to && (
          <line class="now" x1={scale(now)} x2={scale(now)} y1={TOP - 6} y2={height} />
        )}
      </svg>
    </div>
  );
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

function Marks({
  span,
  scale,
  height,
}: {
  readonly span: Span;
  readonly scale: (time: number) => number;
  readonly height: number;
}) {
  const pixels = scale(span.to) - scale(span.from);
  const step = STEPS.find((each) => ((span.to - span.from) / each) * 70 < pixels) ?? 86_400_000;
  const first = Math.ceil(span.from / step) * step;
  const count = Math.floor((span.to - first) / step) + 1;
  return (
    <g>
      {Array.from({ length: count }, (_, index) => first + index * step).map((time) => (
        <g key={time}>
          <line class="mark" x1={scale(time)} x2={scale(time)} y1={TOP - 6} y2={height} />
          <text x={scale(time) + 3} y={12}>
            {step >= 86_400_000 ? timeText(time).slice(5, 10) : clockText(time).slice(0, step < 60_000 ? 8 : 5)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface RowProps {
  readonly lane: Lane;
  readonly y: number;
  readonly scale: (time: number) => number;
  readonly now: number;
  readonly label: number;
}

function LaneRow({ lane, y, scale, now, label }: RowProps) {
  const { trigger, runs, running, coming } = lane;
  const text = keyText(trigger);
  const fits = Math.floor(label / 6.6);
  const bar = (from: number, to: number) => ({
    x: scale(from),
    width: Math.max(NARROWEST, scale(to) - scale(from)),
    y: y + 6,
    height: LANE - 12,
    rx: 2,
  });
  return (
    <g>
      <line class="lane" x1={0} x2="100%" y1={y + LANE} y2={y + LANE} />
      <a href={href(['triggers', trigger.group, trigger.name])}>
        <text class="name" x={4} y={y + 17}>
          {text.length > fits ? `${text.slice(0, fits - 1)}…` : text}
          <title>{text}</title>
        </text>
      </a>
      {coming.map((time) => (
        <circle key={time} class="coming" cx={scale(Date.parse(time))} cy={y + LANE / 2} r={3}>
          <title>{`fires at ${timeText(time)}`}</title>
        </circle>
      ))}
      {runs.map((run) => (
        <a key={run.id} href={href(['runs', run.id])}>
          <rect class={`run ${run.outcome}`} {...bar(Date.parse(run.from), Date.parse(run.to))}>
            <title>{`${run.outcome}, attempt ${run.attempt}, ${timeText(run.from)}, ${durationText(Date.parse(run.to) - Date.parse(run.from))}, on ${run.instanceId}`}</title>
          </rect>
        </a>
      ))}
      {running.map(({ fireInstanceId, from, instanceId }) => (
        <a key={fireInstanceId} href={href(['running'])}>
          <rect class="run running" {...bar(Date.parse(from), now)}>
            <title>{`running since ${timeText(from)} on ${instanceId}`}</title>
          </rect>
        </a>
      ))}
    </g>
  );
}
