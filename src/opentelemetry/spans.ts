import type * as OpenTelemetryApi from '@opentelemetry/api';
import type { Attributes, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { JobReport } from '../api/job-report';
import type { JobMiddleware } from '../api/scheduler';
import { toError } from '../base/errors';
import { maskText, maskValue } from '../base/secrets';
import { carriedSpans } from '../domain/carried-spans';
import { type JobKey, sameKey } from '../domain/keys';
import type { ChangeSet } from '../domain/schedule-change';
import { JobContext } from '../engine/job-context';
import { outcomeOfFailure } from '../engine/job-outcome';
import { isReport } from '../engine/run-notes';
import type { RunState } from '../engine/run-state';
import type { Tracing } from '../scheduler/tracing';
import { type NodeAttributes, ofFiring, ofJob, ofTrigger } from './span-attributes';

export type Api = typeof OpenTelemetryApi;

/** Creates a PRODUCER span for each call that stores triggers. The span's parent is the span that is active during the call. */
export function scheduleTracing(api: Api, tracer: Tracer, node: NodeAttributes): Tracing {
  return {
    async scheduling(changes, store) {
      const { name, attributes } = describe(changes);
      const span = tracer.startSpan(name, {
        kind: api.SpanKind.PRODUCER,
        attributes: {
          ...node,
          'messaging.operation.name': 'schedule',
          'messaging.operation.type': 'send',
          ...attributes,
        },
      });
      try {
        return await within(api, span, () => store(toTraceparent(api, span.spanContext())));
      } catch (thrown) {
        failSpan(api, span, thrown);
        throw thrown;
      } finally {
        span.end();
      }
    },
  };
}

/** Runs `work` while the span is active, so that spans of the database client become its children. */
function within<T>(api: Api, span: Span, work: () => Promise<T>): Promise<T> {
  return api.context.with(api.trace.setSpan(api.context.active(), span), work);
}

/** Returns the name and the attributes of a scheduling span. For several triggers, the attributes only contain their number. */
function describe(changes: ChangeSet): { readonly name: string; readonly attributes: Attributes } {
  const scheduling = changes.filter((change) => 'trigger' in change);
  const [first] = scheduling;
  if (first === undefined || scheduling.length > 1) {
    return { name: 'schedule', attributes: { 'messaging.batch.message_count': scheduling.length } };
  }
  const { key, jobKey } = first.trigger;
  const type = jobTypeOf(changes, jobKey);
  return {
    name: type === null ? 'schedule' : `schedule ${type}`,
    attributes: {
      ...(type !== null && { 'messaging.destination.name': type }),
      ...ofJob(jobKey),
      ...ofTrigger(key),
    },
  };
}

/** Returns the job type if the same call stores the job. Returns null if the job was stored before. */
function jobTypeOf(changes: ChangeSet, jobKey: JobKey): string | null {
  const jobs = changes.flatMap((change) => (change.type === 'storeJob' ? [change.job] : []));
  return jobs.find(({ key }) => sameKey(key, jobKey))?.jobType ?? null;
}

/**
 * Creates middleware that runs each execution of a job in a CONSUMER span. The span is the root of a trace, because the trigger may have been
 * scheduled long ago. It links to the spans of the scheduling call and of the occurrence's previous execution.
 */
export function runTracing(api: Api, tracer: Tracer, node: NodeAttributes): JobMiddleware {
  return async (given, next) => {
    const run = JobContext.runOf(given as JobContext);
    const { firing, refireCount } = run;
    const span = tracer.startSpan(`process ${firing.jobDetail.jobType}`, {
      kind: api.SpanKind.CONSUMER,
      root: true,
      attributes: { ...node, ...ofFiring(firing, refireCount) },
      links: linksOf(api, run),
    });
    run.traceparent = toTraceparent(api, span.spanContext());
    try {
      const answer = await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), next);
      const { outcome = 'succeeded', summary } = reportOf(run, answer);
      span.setAttribute('quartz.outcome', run.isAbandoned ? 'timedOut' : outcome);
      if (outcome === 'failed' || run.isAbandoned) {
        span.setStatus({ code: api.SpanStatusCode.ERROR, ...(summary !== undefined && { message: summary }) });
      }
      return answer;
    } catch (thrown) {
      span.setAttribute('quartz.outcome', outcomeOfFailure(run));
      failSpan(api, span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  };
}

function linksOf(api: Api, run: RunState): Link[] {
  const { scheduledIn, follows } = carriedSpans(run.firing.trigger);
  const named = [
    ['scheduling', scheduledIn],
    // After an immediate refire, the previous execution is in the same firing.
    ['previous_attempt', run.traceparent ?? follows],
  ] as const;
  return named.flatMap(([link, text]) => {
    const spanContext = text === null ? null : fromTraceparent(api, text);
    return spanContext === null ? [] : [{ context: spanContext, attributes: { 'quartz.link': link } }];
  });
}

/** Returns the job's report, which merges the report in its context with its return value. */
function reportOf(run: RunState, answer: unknown): JobReport {
  const given = run.notes?.report ?? {};
  return isReport(answer) ? { ...given, ...(answer as JobReport) } : given;
}

/** Records an error in a span, with its secrets masked, and sets the span's status to ERROR. */
function failSpan({ SpanStatusCode }: Api, span: Span, thrown: unknown): void {
  const error = toError(thrown);
  span.recordException(maskValue(error) as Error);
  span.setAttribute('error.type', typeof error.name === 'string' ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR, message: maskText(error.message) });
}

/** Pattern of a `traceparent`: version 00 of W3C Trace Context. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Formats a span context as a `traceparent` of 55 characters. Returns null for an invalid context. */
function toTraceparent({ isSpanContextValid }: Api, context: SpanContext): string | null {
  if (!isSpanContextValid(context)) return null;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Parses a `traceparent`. Returns null if it is invalid, because stored rows are not trusted. */
function fromTraceparent({ isSpanContextValid }: Api, text: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}
