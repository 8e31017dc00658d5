import { Command } from 'commander';
import { printable } from '../../base/printable';
import { maskText, maskValue } from '../../base/secrets';
import { type JobKey, jobKey } from '../../domain/keys';
import { type CommandContext, example } from '../command';
import { formatDuration } from '../format-duration';
import { type Output, padEnd } from '../output';
import { keepPolling, type PollOptions, withPollOptions } from './polling';
import { RunTailing, type TailEvent } from './run-tailing';

export function tailCommand(context: CommandContext): Command {
  return withPollOptions(new Command('tail'))
    .description('Prints the starts, log lines, progress and outcomes of runs as they happen, until Ctrl-C.')
    .argument('[job]', 'only runs of this job: group/name, or a name in the group DEFAULT')
    .addHelpText('after', example('tail reports/daily --config quartz.yaml'))
    .action((job: string | undefined, options: PollOptions) =>
      keepPolling(options, context, (polled) => {
        const report = tailPrinter(context.output, options);
        const tailing = new RunTailing(polled, { job: job === undefined ? null : jobKey(job), report });
        return Object.assign(() => tailing.poll(), { pollsOnChange: true } as const);
      }),
    );
}

function tailPrinter(output: Output, { json = false }: { readonly json?: boolean }): (event: TailEvent) => void {
  return json ? (event) => output.json(maskValue(plain(event))) : (event) => line(output, shownOf(event));
}

function plain(event: TailEvent): object {
  switch (event.type) {
    case 'line':
      return { type: event.type, job: event.job, runId: event.runId, ...event.line };
    case 'progress':
      return { type: event.type, job: event.job, runId: event.runId, ...event.progress };
    case 'gap':
      return event;
    case 'ended':
      return { type: event.type, ...event.run };
    default:
      return { type: event.type, ...event.firing };
  }
}

function shownOf(event: TailEvent): Shown {
  switch (event.type) {
    case 'started': {
      const { fireTime, job, instanceId, runId } = event.firing;
      return { at: fireTime, word: 'started', color: 'cyan', job, text: `on ${instanceId}, ${runId}` };
    }
    case 'line': {
      const { at, level, message, data } = event.line;
      const text = data === null || data === undefined ? message : `${message} ${JSON.stringify(maskValue(data))}`;
      return { at, word: level, color: COLORS[level] ?? 'dim', job: event.job, text };
    }
    case 'progress': {
      const { at, fraction, message } = event.progress;
      const text = `${Math.round(fraction * 100)} %${message === null ? '' : ` ${message}`}`;
      return { at, word: 'progress', color: 'cyan', job: event.job, text };
    }
    case 'gap':
      return { at: null, word: 'gap', color: 'dim', job: event.job, text: `lines not shown: ${event.lines}` };
    case 'ended': {
      const { endTime, job, outcome, durationMs, error, attempt, isDeadLetter } = event.run;
      const parts = [
        formatDuration(durationMs),
        ...(attempt > 1 ? [`attempt ${attempt}`] : []),
        ...(isDeadLetter ? ['dead letter'] : []),
        ...(error === null ? [] : [error.split('\n', 1)[0] as string]),
      ];
      return { at: endTime, word: outcome, color: COLORS[outcome] ?? 'yellow', job, text: parts.join(', ') };
    }
    case 'gone':
      return { at: null, word: 'ended', color: 'dim', job: event.firing.job, text: 'not recorded' };
  }
}

const COLORS: Readonly<Record<string, Shown['color']>> = {
  succeeded: 'green',
  failed: 'red',
  error: 'red',
  warn: 'yellow',
};

interface Shown {
  readonly at: string | null;
  readonly word: string;
  readonly color: Parameters<Output['style']>[0];
  readonly job: JobKey;
  readonly text: string;
}

function line(output: Output, { at, word, color, job, text }: Shown): void {
  const time = output.style('dim', padEnd(at ?? '', 24));
  const name = padEnd(printable(`${job.group}/${job.name}`), 24);
  output.line(
    `${time}  ${output.style(color, padEnd(printable(word), 11))}  ${name}  ${printable(maskText(text))}`.trimEnd(),
  );
}
