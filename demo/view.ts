import { type DemoBoard, type NodeFigures, percentile } from './board';
import { LiveBlock, type Terminal, USUAL_COLUMNS } from './live-block';

/** Output of the demo. */
export interface DemoOutput {
  /** Terminal for the table that is redrawn, or null if standard output is not a terminal. */
  readonly terminal: Terminal | null;
  line(text: string): void;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Styles a part of a line for `note`. */
  noteStyle(style: 'yellow', text: string): string;
  style(style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string): string;
}

/** Interval in milliseconds between two tables, if the output cannot be redrawn. */
const TABLE_INTERVAL_MS = 5_000;

const MAX_RUNNING = 4;

const COLUMNS = [
  { heading: 'node', isNumber: false },
  { heading: 'process', isNumber: true },
  { heading: 'state', isNumber: false },
  { heading: 'firings', isNumber: true },
  { heading: 'lateness p50', isNumber: true },
  { heading: 'p99', isNumber: true },
  { heading: 'max', isNumber: true },
  { heading: 'recovered', isNumber: true },
  { heading: 'retries', isNumber: true },
  { heading: 'running now', isNumber: false },
];

const STATES = {
  starting: { text: 'starting', style: 'dim' },
  alive: { text: 'alive', style: 'green' },
  killed: { text: 'killed', style: 'red' },
  recovered: { text: 'killed, recovered', style: 'yellow' },
} as const;

/** Shows the demo as a table: redrawn on a terminal, otherwise printed every five seconds. */
export class DemoView {
  readonly #output: DemoOutput;
  readonly #board: DemoBoard;
  readonly #block: LiveBlock | null;
  readonly #consoleLine: string;
  readonly #startedAt = Date.now();
  #lastTableAt = this.#startedAt;

  /** `consoleUrl`: printed first, and on a terminal also below the table, where it stays visible. */
  constructor(output: DemoOutput, board: DemoBoard, consoleUrl: string) {
    this.#output = output;
    this.#board = board;
    this.#block = output.terminal === null ? null : new LiveBlock(output.terminal);
    this.#consoleLine = `Console: ${consoleUrl}`;
    output.line(this.#consoleLine);
  }

  /** Prints an event that happened at `at`. */
  print(at: number, text: string): void {
    const line = `${this.#output.style('dim', `${seconds(at - this.#startedAt).padStart(4)} s`)}  ${text}`;
    if (this.#block === null) this.#output.line(line);
    else this.#block.print(line);
  }

  /** Shows the table, if its interval has passed. */
  refresh(): void {
    if (this.#block === null && Date.now() - this.#lastTableAt < TABLE_INTERVAL_MS) return;
    this.#lastTableAt = Date.now();
    this.#drawTable(this.#block === null ? [] : this.#consoleLines());
  }

  /** Draws the table for the last time, and leaves it in place. */
  end(): void {
    this.#drawTable([]);
    this.#block?.release();
  }

  /** Omits the URL if a line cannot hold it, because a truncated one would be useless. */
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

/** Formats a duration as human-readable text, or `-` for null. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '-';
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${seconds(milliseconds)} s`;
}

function seconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1_000).toFixed(1);
}
