import type { EpochMs } from '../../base/clock';
import { LiveBlock } from '../live-block';
import { type Output, renderTable } from '../output';
import { formatDuration } from '../parse-duration';
import type { DemoBoard, NodeFigures } from './demo-board';
import type { DemoVerdict } from './demo-verdict';

/** Milliseconds between two tables where nobody can be shown a moving one. */
const TABLE_INTERVAL = 5_000;

const HEADINGS = ['node', 'process', 'state', 'firings', 'late p50', 'p99', 'max', 'run again', 'running now'];
const NUMBERS = ['process', 'firings', 'late p50', 'p99', 'max', 'run again'];
const MOST_RUNNING = 4;

/** Shows the demo: on a terminal a table that moves, elsewhere one every five seconds. */
export class DemoView {
  readonly #output: Output;
  readonly #board: DemoBoard;
  readonly #block: LiveBlock | null;
  readonly #startedAt: EpochMs;
  #lastTableAt: EpochMs;

  constructor(output: Output, board: DemoBoard, startedAt: EpochMs) {
    this.#output = output;
    this.#board = board;
    this.#block = output.terminal === null ? null : new LiveBlock(output.terminal);
    this.#startedAt = startedAt;
    this.#lastTableAt = startedAt;
  }

  /** Something that happened. */
  tell(at: EpochMs, text: string): void {
    const time = `${seconds(at - this.#startedAt).padStart(4)} s`;
    const line = `${this.#output.style('dim', time)}  ${text}`;
    if (this.#block === null) this.#output.line(line);
    else this.#block.print(line);
  }

  /** Shows how things stand, if it is time to. */
  refresh(now: EpochMs): void {
    if (this.#block !== null) this.#block.draw(this.#table(now));
    else if (now - this.#lastTableAt >= TABLE_INTERVAL) {
      this.#lastTableAt = now;
      for (const line of this.#table(now)) this.#output.line(line);
    }
  }

  /** The last table stays. */
  end(now: EpochMs): void {
    if (this.#block === null) for (const line of this.#table(now)) this.#output.line(line);
    else this.#block.draw(this.#table(now));
    this.#block?.release();
  }

  #table(now: EpochMs): readonly string[] {
    const rows = this.#board.figures().map((node) => this.#row(node, now));
    const [heading = '', ...lines] = renderTable(HEADINGS, rows, NUMBERS);
    return ['', this.#output.style('bold', heading), ...lines, ''];
  }

  #row(node: NodeFigures, now: EpochMs): readonly string[] {
    const { lateness } = node;
    const times = [lateness.percentile(0.5), lateness.percentile(0.99), lateness.max];
    return [
      node.name,
      node.processId === null ? '-' : String(node.processId),
      this.#state(node.state),
      String(node.firings),
      ...times.map((time) => (time === null ? '-' : formatDuration(time))),
      String(node.recoveries),
      runningNow(node, now),
    ];
  }

  #state(state: NodeFigures['state']): string {
    switch (state) {
      case 'starting':
        return state;
      case 'alive':
        return this.#output.style('green', 'alive');
      case 'killed':
        return this.#output.style('red', 'killed');
      case 'recovered':
        return this.#output.style('yellow', 'killed, recovered');
    }
  }
}

function runningNow({ state, running }: NodeFigures, now: EpochMs): string {
  if (state === 'killed' || state === 'recovered') return '';
  const shown = running.slice(0, MOST_RUNNING).map(({ job, startedAt }) => `${job} ${seconds(now - startedAt)} s`);
  return [...shown, ...(running.length > MOST_RUNNING ? [`and ${running.length - MOST_RUNNING} more`] : [])].join(', ');
}

function seconds(milliseconds: number): string {
  return (Math.max(0, milliseconds) / 1_000).toFixed(1);
}

/** The summary, in sentences. */
export function describeVerdict(verdict: DemoVerdict): readonly string[] {
  const { expected, firedOnce, firedTwice, lostWithNode, missing, unexpected, killedNode } = verdict;
  const time = (value: number | null) => (value === null ? '-' : formatDuration(value));
  return [
    `${expected} fire times were due on ${verdict.nodes} nodes: ${firedOnce} fired once, ${firedTwice} twice, ` +
      `${lostWithNode} lost with ${killedNode}${missing + unexpected === 0 ? '' : `, ${missing} missing, ${unexpected} unexpected`}.`,
    `${killedNode} was killed while it ran ${verdict.interrupted} job(s) that ask for recovery: ${verdict.recovered} run again ` +
      `on another node, the first ${time(verdict.recoveredAfter)} after the kill.`,
    `Lateness: median ${time(verdict.latenessP50)}, 99 of 100 within ${time(verdict.latenessP99)}, worst ` +
      `${time(verdict.latenessMax)}.`,
  ];
}
