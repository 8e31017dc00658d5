import { Command } from 'commander';
import { printable } from '../../base/printable';
import { formatKey } from '../../domain/keys';
import { ACTIVE_STATES } from '../../domain/trigger-state';
import type { OutputOf } from '../../operations/operations';
import { clusterRatesOf } from '../../operations/views/load-view';
import { type CommandContext, example } from '../command';
import { formatDuration } from '../format-duration';
import { type Output, renderTable } from '../output';
import { nodeStateText } from './format-answer';
import { keepPolling, type PolledScheduler, type PollOptions, withPollOptions } from './polling';

export function topCommand(context: CommandContext): Command {
  return withPollOptions(new Command('top'))
    .description('Shows the nodes, their load and the executing runs, updated every second, until Ctrl-C.')
    .addHelpText('after', example('top --config quartz.yaml'))
    .action((options: PollOptions) =>
      keepPolling(options, context, (polled) => {
        const { output } = context;
        const show = options.json ? (view: TopView) => output.json(view) : drawerOf(output, polled.signal);
        return async () => show(await poll(polled));
      }),
    );
}

/** Control sequences that enter and leave the terminal's alternate screen. Leaving it restores the previous content. */
const SCREEN = { enter: '\u001b[?1049h', leave: '\u001b[?1049l' } as const;

/**
 * Returns a function that draws frames, at least one, on the terminal's alternate screen, which it leaves when `signal` aborts. Without a terminal,
 * it prints each frame as lines.
 */
function drawerOf(output: Output, signal: AbortSignal): (view: TopView) => void {
  const { terminal } = output;
  if (terminal === null) return (view) => draw(view, output);
  let state: 'outside' | 'shown' | 'left' = 'outside';
  const leave = () => {
    if (state !== 'shown') return;
    state = 'left';
    terminal.write(SCREEN.leave);
  };
  signal.addEventListener('abort', leave, { once: true });
  return (view) => {
    if (state === 'left') return;
    if (state === 'outside') terminal.write(SCREEN.enter);
    state = 'shown';
    draw(view, output);
    if (signal.aborted) leave();
  };
}

type Coming = OutputOf<'triggers.list'>['items'][number];
type Node = OutputOf<'nodes.list'>['items'][number];

interface TopView {
  readonly at: string;
  readonly nodes: readonly {
    readonly instanceId: string;
    readonly state: Node['state'];
    readonly isDraining: boolean;
    readonly holdsBack: Node['holdsBack'];
    readonly running: number;
    /** Load of the node. Null if the node has not reported its load. */
    readonly load: Node['load'];
  }[];
  readonly running: { readonly total: number; readonly longest: OutputOf<'firings.list'>['items'] };
  /** Firings and failures per minute, and lateness, of all live nodes. */
  readonly load: ReturnType<typeof clusterRatesOf>;
  /** Trigger with the earliest fire time, which may already have passed. */
  readonly next: {
    readonly fireTime: string | null;
    readonly latenessMs: number;
    /** Key of the trigger. Null if no trigger has a fire time. */
    readonly trigger: Coming['key'] | null;
  };
}

/** Lateness in milliseconds above which `top` shows a trigger as late. */
const SECOND_MS = 1_000;

/** Maximum number of rows, so that the tables fit on a terminal. */
const SHOWN = { nodes: 12, running: 12 } as const;

async function poll({ query, clock }: PolledScheduler): Promise<TopView> {
  const now = clock.now();
  const [nodes, firings, coming] = await Promise.all([
    query('nodes.list', {}),
    query('firings.list', { limit: 1_000 }),
    query('triggers.list', { sort: 'nextFireTime', state: [...ACTIVE_STATES], limit: 1 }),
  ]);
  const { nextFireTime: fireTime = null, key: trigger = null } = coming.items[0] ?? {};
  return {
    at: new Date(now).toISOString(),
    nodes: nodes.items.map(({ instanceId, state, isDraining, holdsBack, load }) => ({
      ...{ instanceId, state, isDraining, holdsBack, load },
      running: firings.items.filter((firing) => firing.instanceId === instanceId).length,
    })),
    running: { total: firings.total, longest: firings.items.slice(0, SHOWN.running) },
    load: clusterRatesOf(nodes.items),
    next:
      fireTime === null
        ? { fireTime, latenessMs: 0, trigger: null }
        : { fireTime, latenessMs: Math.max(0, now - Date.parse(fireTime)), trigger },
  };
}

/** Control sequence that moves the cursor to the upper left corner and clears the screen. */
const REDRAW = '\u001b[H\u001b[2J';

function draw(view: TopView, output: Output): void {
  const lines = linesOf(view, output);
  if (output.terminal === null) for (const line of [...lines, '']) output.line(line);
  else output.terminal.write(`${REDRAW}${lines.join('\n')}\n`);
}

function linesOf({ at, nodes, running, load, next }: TopView, output: Output): readonly string[] {
  const { firingsPerMinute, failedPerMinute, latenessMs } = load;
  const { fireTime, trigger } = next;
  const due = fireTime === null ? 'no next fire time' : `next fire time ${fireTime}`;
  const whose = trigger === null ? '' : ` of ${printable(formatKey(trigger))}`;
  const late = next.latenessMs > SECOND_MS ? `, ${formatDuration(next.latenessMs)} late` : '';
  const bad = failedPerMinute > 0 ? output.style('red', `${failedPerMinute} failed`) : 'none failed';
  return [
    `${output.style('bold', at)}  ${nodes.length} node${nodes.length === 1 ? '' : 's'}, ${running.total} running; ${due}${whose}${late}`,
    `a minute: ${firingsPerMinute} fired, ${bad}; lateness p50 ${lateText(latenessMs.p50)}, p99 ${lateText(latenessMs.p99)}`,
    '',
    ...tableLines(['node', 'state', ...NODE_FIGURES], nodes.slice(0, SHOWN.nodes).map(nodeRow), output),
    ...(nodes.length > SHOWN.nodes ? [`${nodes.length - SHOWN.nodes} more not listed`] : []),
    '',
    ...tableLines(
      ['running', 'for', 'node', 'progress', 'run id'],
      running.longest.map((firing) => firingRow(firing, at)),
      output,
    ),
    ...(running.total > running.longest.length ? [`${running.total - running.longest.length} more not listed`] : []),
  ];
}

const NODE_FIGURES = ['running', 'workers', 'fired/min', 'failed/min', 'p50 late', 'p99 late'] as const;

function nodeRow(node: TopView['nodes'][number]): readonly string[] {
  const { instanceId, running, load } = node;
  const { p50 = null, p99 = null } = load?.latenessMs ?? {};
  const figure = (value: number | undefined) => String(value ?? '-');
  return [
    ...[instanceId, nodeStateText(node), String(running)],
    ...[
      figure(load?.workers),
      figure(load?.firingsPerMinute),
      figure(load?.failedPerMinute),
      lateText(p50),
      lateText(p99),
    ],
  ];
}

function lateText(milliseconds: number | null): string {
  return milliseconds === null ? '-' : formatDuration(milliseconds);
}

function firingRow({ job, fireTime, instanceId, progress, runId }: TopView['running']['longest'][number], at: string) {
  const done = progress === null ? '' : `${Math.round(progress.fraction * 100)} % ${progress.message ?? ''}`.trim();
  const since = formatDuration(Math.max(0, Date.parse(at) - Date.parse(fireTime)));
  return [`${job.group}/${job.name}`, since, instanceId, done, runId];
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
