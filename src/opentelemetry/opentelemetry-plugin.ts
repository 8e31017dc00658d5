import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Plugin } from '../api/plugin';
import { SchedulerError } from '../base/errors';
import { VERSION } from '../base/version';
import { checkOptions } from '../domain/check-options';
import { unmet } from '../domain/check-text';
import { controlOf } from '../scheduler/control';
import { Instruments } from './instruments';
import { ofNode } from './span-attributes';
import { type Api, runTracing, scheduleTracing } from './spans';

/** Options of `openTelemetryPlugin`. */
export interface OpenTelemetryOptions {
  /** Provider of the tracer. Default: the global provider. False: no spans. */
  readonly tracerProvider?: TracerProvider | false;
  /** Provider of the meter. Default: the global provider. False: no metrics. */
  readonly meterProvider?: MeterProvider | false;
}

const SCOPE = 'quartz-ts';

/**
 * Creates spans for scheduling calls and runs, linked to each other, and exports the metrics of `/metrics` as instruments. Throws INVALID_ARGUMENT
 * for unknown options.
 *
 * Requires `@opentelemetry/api`, and an SDK that is set up before the scheduler is created. Without an SDK, the plugin has no effect. Without the
 * package, `createScheduler` rejects with CONFIGURATION.
 */
export function openTelemetryPlugin(options: OpenTelemetryOptions = {}): Plugin {
  checkOptions(options, { tracerProvider: true, meterProvider: true });
  let instruments: Instruments | null = null;
  return {
    name: 'openTelemetry',
    async install({ scheduler }) {
      const api = await loadApi();
      const control = controlOf(scheduler);
      if (control === null) throw unmet('a scheduler created with createScheduler', 'another object');
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

/** Loads `@opentelemetry/api` as installed by the application. Rejects with CONFIGURATION if the package is not installed. */
async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new SchedulerError(
      'CONFIGURATION',
      'Expected the package @opentelemetry/api, version 1.9 or later, for openTelemetryPlugin, but it could not be loaded. ' +
        'Run: npm install @opentelemetry/api.',
      { cause },
    );
  }
}
