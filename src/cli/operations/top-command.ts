import { Command } from 'commander';
import { printable } from '../../base/printable';
import type { OutputOf } from '../../operations/operations';
import { type CommandContext, example } from '../command';
import { type Output, renderTable } from '../output';
import { formatDuration } from '../parse-duration';
import { keepLooking, type Looked, type LookingOptions, withLookingOptions } from './looking';

/** `top`: nodes, what executes, and how runs go, drawn anew once a second. */
export function topCommand(context: CommandContext): Command {
  return withLookingOptions(new Command('top'))
    .description('Shows nodes, what executes and how runs go, anew each second, until Ctrl-C.')
    .addHelpText('after', example('top --config quartz.yaml'))
    .action((options: LookingOptions) =>
      keepLooking(options, context, (looked) => async () => {
        const view = await lookAt(looked);
        if (options.json) context.output.json(view);
        else draw(view, context.output);
      }),
    );
}

/** What one look finds. */
export interface TopView {
  readonly at: string;
  readonly nodes: readonly {
    readonly instanceId: string;
    readonly state: string;
    readonly isDraining: boolean;
    readonly running: number;
  }[];
  readonly running: { readonly total: number; readonly longest: OutputOf<'firings.list'>['items'] };
  /** Of the recorded runs of the last minute, at most the newest thousand. */
  readonly lastMinute: {
    readonly ended: number;
    readonly failed: number;
    readonly endedPerSecond: number;
    readonly latenessMs: { readonly p50: number | null; readonly p99: number | null; readonly max: number | null };
    readonly isCut: boolean;
  };
  /** Of the trigger that fires next, or should have fired. */
  readonly next: { readonly fireTime: string | null; readonly overdueMs: number };
}

const MINUTE_MS = 60_000;

/** What a terminal has room for. */
const SHOWN = { nodes: 12, running: 12 } as const;

async function lookAt({ ask, clock }: Looked): Promise<TopView> {
  const now = clock.now();
  const [nodes, firings, runs, coming] = await Promise.all([
    ask('nodes.list', {}),
    ask('firings.list', { limit: 1_000 }),
    ask('runs.list', { since: new Date(now - MINUTE_MS).toISOString(), limit: 1_000 }),
    ask('triggers.list', { sort: 'nextFireTime', state: ['WAITING', 'BLOCKED', 'ACQUIRED'], limit: 1 }),
  ]);
  const fireTime = coming.items[0]?.nextFireTime ?? null;
  return {
    at: new Date(now).toISOString(),
    nodes: nodes.items.map(({ instanceId, state, isDraining }) => ({
      ...{ instanceId, state, isDraining },
      running: firings.items.filter((firing) => firing.instanceId === instanceId).length,
    })),
    running: { total: firings.total, longest: firings.items.slice(0, SHOWN.running) },
    lastMinute: figuresOf(runs),
    next: { fireTime, overdueMs: fireTime === null ? 0 : Math.max(0, now - Date.parse(fireTime)) },
  };
}

function figuresOf({ items, next }: OutputOf<'runs.list'>): TopView['lastMinute'] {
  const ended = items.length;
  // A retry begins later because it is one.
  const late = items
    .filter(({ attempt }) => attempt === 1)
    .map(({ latenessMs }) => Math.max(0, latenessMs))
    .sort((a, b) => a - b);
  const at = (share: number) => late[Math.max(0, Math.ceil(late.length * share) - 1)] ?? null;
  return {
    ended,
    failed: items.filter(({ outcome }) => outcome !== 'succeeded' && outcome !== 'skipped').length,
    endedPerSecond: Math.round((ended / (MINUTE_MS / 1_000)) * 100) / 100,
    latenessMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
    isCut: next !== null,
  };
}

/** To the upper left corner, and nothing below. */
const REDRAW = '\u001b[H\u001b[2J';

function draw(view: TopView, output: Output): void {
  const lines = linesOf(view, output);
  if (output.terminal === null) for (const line of [...lines, '']) output.line(line);
  else output.terminal.write(`${REDRAW}${lines.join('\n')}\n`);
}

function linesOf({ at, nodes, running, lastMinute, next }: TopView, output: Output): readonly string[] {
  const { ended, failed, endedPerSecond, latenessMs, isCut } = lastMinute;
  const late = (value: number | null) => (value === null ? '-' : formatDuration(value));
  const due = next.fireTime === null ? 'nothing will fire' : `next fire time ${next.fireTime}`;
  const overdue = next.overdueMs > MINUTE_MS / 60 ? `, ${formatDuration(next.overdueMs)} overdue` : '';
  const bad = failed > 0 ? output.style('red', `${failed} failed`) : 'none failed';
  return [
    `${output.style('bold', at)}  ${nodes.length} node${nodes.length === 1 ? '' : 's'}, ${running.total} running; ${due}${overdue}`,
    `last minute, as recorded: ${isCut ? 'more than ' : ''}${ended} ended (${endedPerSecond} a second), ${bad}; late ${late(latenessMs.p50)}, 1 in 100 ${late(latenessMs.p99)}, worst ${late(latenessMs.max)}`,
    '',
    ...tableLines(
      ['node', 'state', 'running'],
      nodes
        .slice(0, SHOWN.nodes)
        .map((node) => [node.instanceId, node.isDraining ? 'draining' : node.state, String(node.running)]),
      output,
    ),
    ...(nodes.length > SHOWN.nodes ? [`(and ${nodes.length - SHOWN.nodes} more nodes)`] : []),
    '',
    ...tableLines(
      ['running', 'for', 'node', 'progress', 'fire instance id'],
      running.longest.map((firing) => firingRow(firing, at)),
      output,
    ),
    ...(running.total > running.longest.length ? [`(and ${running.total - running.longest.length} more)`] : []),
  ];
}

function firingRow(
  { job, fireTime, instanceId, progress, fireInstanceId }: TopView['running']['longest'][number],
  at: string,
) {
  const done = progress === null ? '' : `${Math.round(progress.fraction * 100)} % ${progress.message ?? ''}`.trim();
  const since = formatDuration(Math.max(0, Date.parse(at) - Date.parse(fireTime)));
  return [`${job.group}/${job.name}`, since, instanceId, done, fireInstanceId];
}

function tableLines(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  output: Output,
): readonly string[] {
  const lines = renderTable(
    headings,
    rows.map((row) => row.map(printable)),
  );
  return lines.map((text, index) => (index === 0 ? output.style('bold', text) : text));
}
