import type { Link, Tracer } from '@opentelemetry/api';
import type { JobMiddleware, JobReport } from '../api/scheduler';
import { carriedSpans } from '../domain/carried-spans';
import { JobContext } from '../engine/job-context';
import { outcomeOfFailure } from '../engine/job-outcome';
import { isReport } from '../engine/run-notes';
import { failSpan } from './fail-span';
import type { Api } from './load-api';
import { type NodeAttributes, ofFiring } from './span-attributes';
import { fromTraceparent, toTraceparent } from './traceparent';

/**
 * A span of the kind CONSUMER around every execution of a job, the first of a trace of its own: when its trigger was scheduled may be long
 * ago. It links to the span in which that was done, and to the execution before of the same occurrence. It is active while the job runs.
 */
export function runTracing(api: Api, tracer: Tracer, node: NodeAttributes): JobMiddleware {
  return async (given, next) => {
    const context = given as JobContext;
    const firing = JobContext.firingOf(context);
    const span = tracer.startSpan(`process ${firing.jobDetail.jobType}`, {
      kind: api.SpanKind.CONSUMER,
      root: true,
      attributes: { ...node, ...ofFiring(firing, JobContext.refireCountOf(context)) },
      links: linksOf(api, context),
    });
    JobContext.setTraceparent(context, toTraceparent(api, span.spanContext()));
    try {
      const answer = await api.context.with(api.trace.setSpan(api.ROOT_CONTEXT, span), next);
      const { outcome = 'succeeded', summary } = reportOf(context, answer);
      span.setAttribute('quartz.outcome', context.isAbandoned ? 'timedOut' : outcome);
      if (outcome === 'failed' || context.isAbandoned) {
        span.setStatus({ code: api.SpanStatusCode.ERROR, ...(summary !== undefined && { message: summary }) });
      }
      return answer;
    } catch (thrown) {
      span.setAttribute('quartz.outcome', outcomeOfFailure(context));
      failSpan(api, span, thrown);
      throw thrown;
    } finally {
      span.end();
    }
  };
}

function linksOf(api: Api, context: JobContext): Link[] {
  const { scheduledIn, follows } = carriedSpans(JobContext.firingOf(context).trigger);
  const named = [
    ['scheduling', scheduledIn],
    // An execution that is run again at once follows its own firing.
    ['previous_attempt', JobContext.traceparentOf(context) ?? follows],
  ] as const;
  return named.flatMap(([link, text]) => {
    const spanContext = text === null ? null : fromTraceparent(api, text);
    return spanContext === null ? [] : [{ context: spanContext, attributes: { 'quartz.link': link } }];
  });
}

/** What the job has said of its run, by its context or by what it returned. */
function reportOf(context: JobContext, answer: unknown): JobReport {
  const said = JobContext.notesOf(context)?.report ?? {};
  return isReport(answer) ? { ...said, ...(answer as JobReport) } : said;
}
