import { clockText } from './format';

/** Values of one line, or of the bars in one colour. */
export interface Series {
  readonly name: string;
  /** CSS class of the colour: `good`, `bad`, `warn`, `busy` or `quiet`. */
  readonly tone: string;
  /** One value for each step. Null if the value is unknown. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly kind: 'bars' | 'lines';
  readonly textOf: (value: number) => string;
}

const WIDTH = 600;
const HEIGHT = 120;

/** Chart of values over time. Hidden from screen readers, because the table below contains the same data. */
export function StepChart({ title, times, series, kind, textOf }: ChartProps) {
  const sums = times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const single = series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const top = Math.max(1, ...(kind === 'bars' ? sums : single));
  return (
    <figure class="steps">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ name, tone }) => (
          <span key={name} class={`key ${tone}`}>
            {name}
          </span>
        ))}
        <span class="faint number">up to {textOf(top)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {[0.25, 0.5, 0.75].map((part) => (
          <line key={part} class="grid" x1="0" x2={WIDTH} y1={HEIGHT * part} y2={HEIGHT * part} />
        ))}
        {kind === 'bars' ? (
          <Bars series={series} top={top} count={times.length} />
        ) : (
          series.map((each) => <Line key={each.name} series={each} top={top} />)
        )}
      </svg>
      <div class="ends faint number">
        <span>{clockText(times[0] ?? 0)}</span>
        <span>{clockText(times.at(-1) ?? 0)}</span>
      </div>
      <details>
        <summary>Show table</summary>
        <ChartTable title={title} times={times} series={series} textOf={textOf} />
      </details>
    </figure>
  );
}

function Bars({
  series,
  top,
  count,
}: {
  readonly series: readonly Series[];
  readonly top: number;
  readonly count: number;
}) {
  const width = WIDTH / Math.max(1, count);
  return (
    <>
      {Array.from({ length: count }, (_, at) => {
        let below = 0;
        return series.map(({ name, tone, values }) => {
          const height = ((values[at] ?? 0) / top) * HEIGHT;
          below += height;
          const position = { x: at * width + width * 0.1, y: HEIGHT - below, width: width * 0.8, height };
          return height === 0 ? null : <rect key={name} class={tone} {...position} />;
        });
      })}
    </>
  );
}

/** Line with a gap for each unknown value. A value between two gaps is drawn as a point. */
function Line({ series: { tone, values }, top }: { readonly series: Series; readonly top: number }) {
  const width = WIDTH / Math.max(1, values.length);
  const pointOf = (value: number, at: number) => `${(at + 0.5) * width} ${HEIGHT - (value / top) * (HEIGHT - 4) - 2}`;
  const path = values.map((value, at) => {
    if (value === null) return '';
    const isFirst = at === 0 || values[at - 1] === null;
    return isFirst ? `M${pointOf(value, at)}h0.1` : `L${pointOf(value, at)}`;
  });
  return <path class={tone} d={path.join('')} vector-effect="non-scaling-stroke" />;
}

function ChartTable({ title, times, series, textOf }: Omit<ChartProps, 'kind'>) {
  return (
    <div class="scroll">
      <table>
        <caption class="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, at) => (
            <tr key={time}>
              <td class="number">{clockText(time)}</td>
              {series.map(({ name, values }) => {
                const value = values[at] ?? null;
                return (
                  <td key={name} class="number">
                    {value === null ? '–' : textOf(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
