import type { LogLevel } from '../api/logger';
import type { EpochMs } from '../base/clock';
import { isError } from '../base/error-values';
import type { TriggerFiring } from '../domain/firing';
import { formatKey, type GroupMatcher, type JobKey, type TriggerKey } from '../domain/keys';
import type { Occurrence } from '../domain/occurrence';
import type { RunName } from '../domain/run';
import type { RunInFlight } from '../domain/scheduler-event';
import type { Trigger } from '../domain/trigger';

/* Parts of the table of log lines: a line, and the fields that several lines share. */

export interface LogLine<Event> {
  /** Code for filters and alerts. The code of a line never changes. */
  readonly code: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Function that returns the other fields of the line. The fields never contain job data, which may contain secrets. */
  readonly fields: Fields<Event>;
}

type Fields<Event> = (event: Event) => Readonly<Record<string, unknown>>;

export function line<Event>(
  code: string,
  level: LogLevel,
  message: string,
  fields: Fields<Event> = () => ({}),
): LogLine<Event> {
  return { code, level, message, fields };
}

export function only<Event>(...names: readonly (keyof Event & string)[]): Fields<Event> {
  return (event) => Object.fromEntries(names.map((name) => [name, event[name]]));
}

export function all<Event>(...fields: readonly NoInfer<Fields<Event>>[]): Fields<Event> {
  return (event) => Object.fromEntries(fields.flatMap((each) => Object.entries(each(event))));
}

export function time<Name extends string>(name: Name): Fields<{ readonly [Field in Name]: EpochMs | null }> {
  return (event) => ({ [name]: timeText(event[name]) });
}

export function ofTriggerKey({ triggerKey }: { readonly triggerKey: TriggerKey }) {
  return { trigger: formatKey(triggerKey) };
}

export function ofJobKey({ jobKey }: { readonly jobKey: JobKey }) {
  return { job: formatKey(jobKey) };
}

export function ofMatcher({ matcher }: { readonly matcher: GroupMatcher }) {
  return { groups: matcher.operator === 'any' ? 'any' : `${matcher.operator} ${matcher.value}` };
}

export function ofTrigger({ trigger }: { readonly trigger: Trigger }) {
  return { trigger: formatKey(trigger.key), job: formatKey(trigger.jobKey) };
}

export function ofFiring({ firing }: { readonly firing: TriggerFiring }) {
  return { ...ofTrigger(firing), runId: firing.runId };
}

export function ofScheduledFiring({ firing }: { readonly firing: TriggerFiring }) {
  return { ...ofFiring({ firing }), scheduledFireTime: timeText(firing.scheduledFireTime) };
}

export function ofError({ error }: { readonly error: Error }) {
  return { err: thrownBy(error) };
}

export function ofRuns({ runs }: { readonly runs: readonly RunName[] }) {
  const jobs = [...new Set(runs.map(({ jobKey }) => formatKey(jobKey)))];
  return { count: runs.length, jobs, runIds: runs.map(({ runId }) => runId) };
}

export function ofRunsInFlight({ runs }: { readonly runs: readonly RunInFlight[] }) {
  return {
    runs: runs.map(({ runId, jobKey, triggerKey, fireTime }) => ({
      runId,
      job: formatKey(jobKey),
      trigger: formatKey(triggerKey),
      fireTime: timeText(fireTime),
    })),
  };
}

export function ofOccurrence({
  firing,
  occurrence,
}: {
  readonly firing: TriggerFiring;
  readonly occurrence: Occurrence;
}) {
  return {
    trigger: formatKey(occurrence.triggerKey),
    job: formatKey(firing.jobDetail.key),
    runId: firing.runId,
    occurrenceId: occurrence.id,
    scheduledFireTime: timeText(occurrence.scheduledTime),
    attempt: occurrence.attempt,
  };
}

/** Returns the error that the job threw, without its wrapper. The wrapper repeats the message, so a logger would print the message twice. */
function thrownBy(error: Error): Error {
  const { cause } = error;
  return isError(cause) && error.message.includes(cause.message) ? cause : error;
}

export function timeText(time: EpochMs | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
