import type { EpochMs } from '../base/clock';
import { printable, withPrintableTexts } from '../base/printable';
import { maskText } from '../base/secrets';
import type { TriggerFiring } from '../domain/firing';
import { formatKey } from '../domain/keys';
import { occurrenceOf } from '../domain/occurrence';
import type { RecoveryReport } from '../domain/recovery';
import type { SchedulerEvent } from '../domain/scheduler-event';
import { formatDuration } from './format-duration';
import { type Output, padEnd } from './output';
import { isJobError, type RunReport } from './run-summary';

const SHOWN_TRIGGERS = 30;

/** Prints firings, failures and misfires as lines and other events as notes. Escapes control characters in names, which come from the database. */
export function printEvent(happened: SchedulerEvent, output: Output): void {
  const event = withPrintableTexts(happened);
  const line = lineOf(event, output);
  if (line !== null) output.line(`${output.style('dim', clockTime(event.at))}  ${line}`);
  const note = noteOf(event, output);
  if (note !== null) output.note(note);
}

function lineOf(event: SchedulerEvent, output: Output): string | null {
  switch (event.type) {
    case 'jobStarted': {
      if (event.refireCount > 0) return null;
      const { jobDetail, scheduledFireTime } = event.firing;
      const late = formatDuration(Math.max(0, event.at - scheduledFireTime));
      const parts = [padEnd(formatKey(jobDetail.key), 24), padEnd(`by ${whatFired(event.firing)}`, 30), `${late} late`];
      return `${output.style('green', 'fired ')}  ${parts.join('  ')}`;
    }
    case 'triggerCompleted':
      if (event.error === null) return null;
      return `${output.style('red', 'failed')}  ${formatKey(event.firing.jobDetail.key)}: ${oneLine(event.error)}`;
    case 'triggerMisfired': {
      const { key, nextFireTime } = event.trigger;
      const next = nextFireTime === null ? 'none' : clockTime(nextFireTime);
      return `${output.style('yellow', 'missed')}  ${formatKey(key)}, next fire time ${next}`;
    }
    default:
      return null;
  }
}

/** Returns the key of the occurrence's trigger. For a retry, adds the number of the attempt. */
function whatFired(firing: TriggerFiring): string {
  const { triggerKey, attempt } = occurrenceOf(firing);
  return attempt > 1 ? `${formatKey(triggerKey)}, attempt ${attempt}` : formatKey(triggerKey);
}

function noteOf(event: SchedulerEvent, output: Output): string | null {
  switch (event.type) {
    case 'schedulerError':
      if (isJobError(event.error)) return null;
      return `${output.noteStyle('red', 'error:')} ${event.during}: ${oneLine(event.error)}`;
    case 'rowUnreadable': {
      const { what, group, name, cause } = event.row;
      const key = group === null ? name : formatKey({ group, name });
      return `${output.noteStyle('yellow', 'warning:')} the ${what} ${key} cannot be read by this node and is skipped: ${cause}`;
    }
    case 'configurationWarning':
      return `${output.noteStyle('yellow', 'warning:')} ${event.message}`;
    case 'nodeJoined':
      return `node ${event.instanceId} has joined`;
    case 'nodeLeft':
      return `node ${event.instanceId} has left`;
    case 'nodeFailed':
      return `${output.noteStyle('yellow', 'warning:')} node ${event.instanceId} has failed: it stopped checking in`;
    case 'nodeFenced':
      return `${output.noteStyle('red', 'error:')} node ${event.instanceId} was fenced (${event.reason}); its jobs are aborted`;
    case 'nodeRecovered':
      return recoveryNote(event.report);
    case 'clockUnsafe':
      return `${output.noteStyle('red', 'error:')} this machine's clock is ${formatDuration(Math.abs(event.clockOffset))} from the database's: because Java nodes share the tables, this node does not fire until the clock is corrected`;
    case 'clockSafe':
      return 'clock skew is back within the limit; this node acquires triggers again';
    case 'scheduleFileApplied': {
      const { file, created, replaced, unchanged, deleted } = event;
      return `${file}: ${created} created, ${replaced} replaced, ${unchanged} unchanged, ${deleted} deleted`;
    }
    default:
      return null;
  }
}

function recoveryNote({ instanceId, released, recovered, exhausted, lost }: RecoveryReport): string {
  const outcomes = [
    `released ${released}`,
    `recovered ${recovered.length}`,
    `not recovered ${lost}`,
    ...(exhausted.length > 0 ? [`abandoned ${exhausted.length}`] : []),
  ];
  return `took over node ${instanceId}: ${outcomes.join(', ')}`;
}

/** Prints the totals of a session: a row for each of the 30 triggers with the most firings, and one for all triggers. */
export function printReport(report: RunReport, output: Output): void {
  const headings = ['trigger', 'firings', 'failures', 'misfires', 'late p50', 'p99', 'max'];
  const rowOf = (
    name: string,
    { firings, failures, misfires, lateness }: RunReport | RunReport['triggers'][number],
  ) => [
    name,
    ...[firings, failures, misfires].map(String),
    ...[lateness.p50, lateness.p99, lateness.max].map((value) => (value === null ? '-' : formatDuration(value))),
  ];
  const shown = [...report.triggers].sort((a, b) => b.firings - a.firings).slice(0, SHOWN_TRIGGERS);
  const hidden = report.triggers.length - shown.length;
  const rows = shown.map((each) => rowOf(printable(each.trigger), each));
  output.line();
  output.table(headings, [...rows, rowOf('total', report)], headings.slice(1));
  if (hidden > 0) output.line(`(and ${hidden} more)`);
  output.line(`ran for ${formatDuration(report.endedAt - report.startedAt)}`);
  if (report.abandonedJobs > 0)
    output.note(`Running jobs abandoned at the shutdown deadline: ${report.abandonedJobs}.`);
}

function clockTime(at: EpochMs): string {
  const date = new Date(at);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function oneLine(error: Error): string {
  return maskText(error.message.split('\n', 1)[0] ?? '');
}
