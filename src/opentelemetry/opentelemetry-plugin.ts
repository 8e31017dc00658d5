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

/** Settings of `openTelemetryPlugin`. */
export interface OpenTelemetryOptions {
  /** Provider for spans. Default: the global one; false: no spans. */
  readonly tracerProvider?: TracerProvider | false;
  /** Provider for metrics. Default: the global one; false: no metrics. */
  readonly meterProvider?: MeterProvider | false;
}

const SCOPE = 'quartz-ts';

/**
 * Creates linked spans for scheduling calls and runs, and exports the metrics of `/metrics` as instruments.
 *
 * Needs the package `@opentelemetry/api`, and an SDK that is set up before the scheduler is created. Without an SDK it
 * has no effect. If the package is not installed, creating the scheduler rejects with CONFIGURATION.
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
        const message = 'Expected a scheduler created with createScheduler, found another object.';
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
