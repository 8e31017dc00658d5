import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Scheduler } from '../../src/api/scheduler';
import { systemRandom } from '../../src/base/ids';
import type { SchedulerEvent } from '../../src/domain/scheduler-event';

/** Spans that one tracer provider has ended. */
export class Spans {
  readonly #exporter = new InMemorySpanExporter();
  readonly provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#exporter)] });

  all(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  /** The only span of that name. */
  named(name: string): ReadableSpan {
    const found = this.all().filter((span) => span.name === name);
    if (found.length !== 1)
      throw new Error(`Expected one span '${name}', found ${this.all().map((span) => span.name)}`);
    return found[0] as ReadableSpan;
  }
}

/** Sets the context manager, as an application with the SDK does. */
export function keepActiveSpans(): void {
  const manager = new AsyncLocalStorageContextManager();
  beforeAll(() => context.setGlobalContextManager(manager.enable()));
  afterAll(() => context.disable());
}

/** Span ids of the links, by the kind of link. */
export const linksOf = ({ links }: ReadableSpan) =>
  Object.fromEntries(links.map((link) => [link.attributes?.['quartz.link'], link.context.spanId]));

/** A temporary file, and a function that removes it. */
export function temporaryFile(): { readonly file: string; readonly remove: () => void } {
  const file = join(tmpdir(), `quartz-ts-otel-${systemRandom.token(12)}.db`);
  const remove = () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  };
  return { file, remove };
}

/** Resolves with the next event of the type. */
export function nextEvent<Type extends SchedulerEvent['type']>(
  scheduler: Scheduler,
  type: Type,
): Promise<SchedulerEvent> {
  return new Promise((resolve) => {
    const end = scheduler.subscribe(
      (event) => {
        end();
        resolve(event);
      },
      [type],
    );
  });
}
