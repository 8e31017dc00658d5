import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { type JobKey, sameKey } from '../domain/keys';
import type { ScheduleChange } from '../domain/schedule-change';
import type { Tracing } from '../scheduler/tracing';
import { failSpan } from './fail-span';
import type { Api } from './load-api';
import { type NodeAttributes, ofJob, ofTrigger } from './span-attributes';
import { toTraceparent } from './traceparent';

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
function describe(changes: readonly ScheduleChange[]): { readonly name: string; readonly attributes: Attributes } {
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
function jobTypeOf(changes: readonly ScheduleChange[], jobKey: JobKey): string | null {
  const jobs = changes.flatMap((change) => (change.type === 'storeJob' ? [change.job] : []));
  return jobs.find(({ key }) => sameKey(key, jobKey))?.jobType ?? null;
}
