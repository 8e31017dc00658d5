import type { Link, Tracer } from '@opentelemetry/api';
import type { JobMiddleware, JobReport } from '../api/scheduler';
import { carriedSpans } from '../domain/carried-spans';
import { JobContext } from '../engine/job-context';
import { outcomeOfFailure } from '../engine/job-outcome';
import { isReport } from '../engine/run-notes';
import type { RunState } from '../engine/run-state';
import { failSpan } from './fail-span';
import type { Api } from './load-api';
import { type NodeAttributes, ofFiring } from './span-attributes';
import { fromTraceparent, toTraceparent } from './traceparent';

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
