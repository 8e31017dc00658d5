import { type DemoBoard, type NodeFigures, percentile } from './board';
import { LiveBlock, type Terminal, USUAL_COLUMNS } from './live-block';

/** Where the demo prints. */
export interface DemoOutput {
  /** Null: standard output is no terminal. */
  readonly terminal: Terminal | null;
  line(text: string): void;
  /** A line to standard error. */
  note(text: string): void;
  /** Styles a part of a line that `note` prints. */
  noteStyle(style: 'yellow', text: string): string;
  style(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string;
}

/** Between two tables where nothing can be drawn over. */
const TABLE_INTERVAL_MS = 5_000;

const MAX_RUNNING = 4;

const COLUMNS = [
  { heading: 'node', isNumber: false },
  { heading: 'process', isNumber: true },
  { heading: 'state', isNumber: false },
  { heading: 'firings', isNumber: true },
  { heading: 'late p50', isNumber: true },
  { heading: 'p99', isNumber: true },
  { heading: 'max', isNumber: true },
  { heading: 'run again', isNumber: true },
  { heading: 'retries', isNumber: true },
  { heading: 'running now', isNumber: false },
];

const STATES = {
  starting: { text: 'starting', style: 'dim' },
  alive: { text: 'alive', style: 'green' },
  killed: { text: 'killed', style: 'red' },
  recovered: { text: 'killed, recovered', style: 'yellow' },
} as const;

/** Shows the demo: on a terminal a table that is drawn over, elsewhere one every five seconds. */
export class DemoView {
  readonly #output: DemoOutput;
  readonly #board: DemoBoard;
  readonly #block: LiveBlock | null;
  readonly #consoleLine: string;
  readonly #startedAt = Date.now();
  #lastTableAt = this.#startedAt;

  /** `consoleUrl`: shown first, and below the table of a terminal, where nothing pushes it away. */
  constructor(output: DemoOutput, board: DemoBoard, consoleUrl: string) {
    this.#output = output;
    this.#board = board;
    this.#block = output.terminal === null ? null : new LiveBlock(output.terminal);
    this.#consoleLine = `Console: ${consoleUrl}`;
    output.line(this.#consoleLine);
  }

  /** Something that happened at `at`. */
  print(at: number, text: string): void {
    const line = `${this.#output.style('dim', `${seconds(at - this.#startedAt).padStart(4)} s`)}  ${text}`;
    if (this.#block === null) this.#output.line(line);
    else this.#block.print(line);
  }

  /** Shows the table, if it is time to. */
  refresh(): void {
    if (this.#block === null && Date.now() - this.#lastTableAt < TABLE_INTERVAL_MS) return;
    this.#lastTableAt = Date.now();
    this.#drawTable(this.#block === null ? [] : this.#consoleLines());
  }

  /** The last table stays. */
  end(): void {
    this.#drawTable([]);
    this.#block?.release();
  }

  /** An address that was cut off would lead nowhere: it is left out where a line cannot hold it. */
  #consoleLines(): readonly string[] {
    const columns = this.#output.terminal?.columns || USUAL_COLUMNS;
    return this.#consoleLine.length < columns ? [this.#consoleLine, ''] : [];
  }

  #drawTable(below: readonly string[]): void {
    const [heading = '', ...lines] = tableOf(this.#board.nodes);
    // Styled as a whole line, so that colours do not count as columns.
    const styled = lines.map((line, index) => this.#withState(line, this.#board.nodes[index]));
    const table = ['', this.#output.style('bold', heading), ...styled, '', ...below];
    if (this.#block !== null) this.#block.draw(table);
    else for (const line of table) this.#output.line(line);
  }

  #withState(line: string, node: NodeFigures | undefined): string {
    if (node === undefined) return line;
    const { text, style } = STATES[node.state];
    return line.replace(text, this.#output.style(style, text));
  }
}

function tableOf(nodes: readonly NodeFigures[]): readonly string[] {
  const rows = [COLUMNS.map(({ heading }) => heading), ...nodes.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = COLUMNS.map(({ isNumber }, column) => {
      const [cell = '', width = 0] = [row[column], widths[column]];
      return isNumber ? cell.padStart(width) : cell.padEnd(width);
    });
    return cells.join('  ').trimEnd();
  });
}

function rowOf(node: NodeFigures): readonly string[] {
  const { name, processId, state, firings, latenessMs, recoveries, retries } = node;
  const lateness = [0.5, 0.99, 1].map((share) => formatDuration(percentile(latenessMs, share)));
  const counts = [String(firings), ...lateness, String(recoveries), String(retries)];
  return [name, processId === null ? '-' : String(processId), STATES[state].text, ...counts, runningNow(node)];
}

function runningNow({ state, running }: NodeFigures): string {
  if (state === 'killed' || state === 'recovered') return '';
  const jobs = [...running.values()].map(({ job, at }) => `${job} ${seconds(Date.now() - at)} s`);
  const more = jobs.length > MAX_RUNNING ? [`and ${jobs.length - MAX_RUNNING} more`] : [];
  return [...jobs.slice(0, MAX_RUNNING), ...more].join(', ');
}

/** A duration for people; null: there is none. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '-';
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${seconds(milliseconds)} s`;
}

function seconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1_000).toFixed(1);
}
