/** ESM entry point of `quartz-ts/opentelemetry`. Re-exports the CommonJS build, so that `import` and `require` share one copy of the code. */
export { openTelemetryPlugin } from './opentelemetry.js';
