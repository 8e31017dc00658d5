import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Plugin } from '../api/plugin';
import { SchedulerError } from '../base/errors';
import { VERSION } from '../base/version';
import { checkOptions } from '../domain/check-options';
import { controlOf } from '../scheduler/control';
import { Instruments } from './instruments';
import { loadApi } from './load-api';
import { runTracing } from './run-spans';
import { scheduleTracing } from './schedule-spans';
import { ofNode } from './span-attributes';

/** What is told to OpenTelemetry, and to whom. */
export interface OpenTelemetryOptions {
  /** Makes the spans. Default: the global one; false: no spans. */
  readonly tracerProvider?: TracerProvider | false;
  /** Takes the metrics. Default: the global one; false: no metrics. */
  readonly meterProvider?: MeterProvider | false;
}

const SCOPE = 'quartz-ts';

/**
 * Spans for what is scheduled and for every run, linked to each other, and the metrics of `/metrics` as instruments. Needs the package
 * `@opentelemetry/api`, and an SDK that is set up before the scheduler is created: without one it does nothing. Creating a scheduler with it
 * rejects with CONFIGURATION where the package is not installed.
 */
export function openTelemetryPlugin(options: OpenTelemetryOptions = {}): Plugin {
  checkOptions(options, { tracerProvider: true, meterProvider: true });
  let instruments: Instruments | null = null;
  return {
    name: 'openTelemetry',
    async install({ scheduler }) {
      const api = await loadApi();
      const control = controlOf(scheduler);
      if (control === null) {
        const message = 'Expected a scheduler that createScheduler has made, found another one.';
        throw new SchedulerError('INVALID_ARGUMENT', message);
      }
      const { tracerProvider = api.trace, meterProvider = api.metrics } = options;
      if (tracerProvider !== false) {
        const tracer = tracerProvider.getTracer(SCOPE, VERSION);
        const node = ofNode(scheduler);
        control.trace(scheduleTracing(api, tracer, node));
        scheduler.use(runTracing(api, tracer, node));
      }
      if (meterProvider !== false) {
        instruments = new Instruments(meterProvider.getMeter(SCOPE, VERSION), scheduler, control);
      }
    },
    stop() {
      instruments?.end();
    },
  };
}
