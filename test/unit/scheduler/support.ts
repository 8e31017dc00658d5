import type { Scheduler } from '../../../src/api/scheduler';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { createTestScheduler, type Firing, type TestScheduler } from '../../../src/testing';

export const START = new Date('2026-01-01T00:00:00Z');
export const at = (text: string) => new Date(`2026-01-01T${text}Z`);

/** A job that does nothing. */
export const noop = async () => {};

/** A test scheduler with the job type `noop`; shut down after the test. */
export async function testScheduler(options: Parameters<typeof createTestScheduler>[0] = {}): Promise<TestScheduler> {
  const test = await createTestScheduler({ ...options, jobs: { noop, ...options.jobs } });
  open.push(test.scheduler);
  return test;
}

const open: Scheduler[] = [];

/** Shuts down every test scheduler: call it in `afterEach`. */
export async function shutdownAll(): Promise<void> {
  await Promise.all(open.splice(0).map((scheduler) => scheduler.shutdown()));
}

/** Returns the code of the error that an action throws or rejects with. */
export async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    return (error as { readonly code?: string }).code ?? `no code: ${(error as Error).message}`;
  }
  return 'no error';
}

/** Records the events from now on, as short texts. */
export function heard(scheduler: Scheduler): string[] {
  const events: string[] = [];
  scheduler.subscribe((event) => events.push(textOf(event)));
  return events;
}

function textOf(event: SchedulerEvent): string {
  if ('triggerKey' in event && event.triggerKey !== null) return `${event.type} ${event.triggerKey.name}`;
  if ('jobKey' in event) return `${event.type} ${event.jobKey.name}`;
  if ('matcher' in event) return `${event.type} ${event.matcher.operator} ${event.matcher.value}`.trim();
  if (event.type === 'jobScheduled') return `${event.type} ${event.trigger.key.name}`;
  if (event.type === 'jobAdded') return `${event.type} ${event.job.key.name}`;
  return event.type;
}

/** `name@HH:MM:SS` of each firing, by its scheduled time. */
export function times(firings: readonly Firing[]): string[] {
  return firings.map(
    ({ trigger, scheduledFireTime }) => `${trigger.name}@${scheduledFireTime.toISOString().slice(11, 19)}`,
  );
}
