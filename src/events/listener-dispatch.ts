import type { JobExecutionContext, JobListener, TriggerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import { PendingCount } from '../base/pending-count';
import { settlesWithin, sleepFor } from '../base/sleep';
import type { CompletionInstruction } from '../domain/completion';
import type { Trigger } from '../domain/trigger';
import type { EventBus } from './event-bus';
import type { ListenerRegistry } from './listener-registry';

export interface ListenerDispatchParts {
  readonly registry: ListenerRegistry;
  readonly bus: EventBus;
  readonly clock: Clock;
  /** The longest one call is waited for, in milliseconds. */
  readonly listenerTimeout: number;
}

/** One call of one method. */
interface Call {
  /** For messages: `jobWasExecuted of the job listener 'audit'`. */
  readonly name: string;
  readonly invoke: () => unknown;
}

const TIMED_OUT = Symbol('timed out');

/**
 * Calls job and trigger listeners, one after the other in the order in which they were added, and keeps what they do
 * wrong to itself: one that throws, rejects or hangs is reported as `schedulerError` and passed over.
 */
export class ListenerDispatch {
  readonly #parts: ListenerDispatchParts;
  readonly #pending = new PendingCount();
  /** Of those who are waited for now; null once closed, when nobody is given a time limit any more. */
  #timers: Set<AbortController> | null = new Set();

  constructor(parts: ListenerDispatchParts) {
    this.#parts = parts;
  }

  get hasJobListeners(): boolean {
    return !this.#parts.registry.jobListeners.isEmpty;
  }

  get hasTriggerListeners(): boolean {
    return !this.#parts.registry.triggerListeners.isEmpty;
  }

  get isEmpty(): boolean {
    return !this.hasJobListeners && !this.hasTriggerListeners;
  }

  /** Deliveries that nobody awaits and that have not ended. */
  get pending(): number {
    return this.#pending.count;
  }

  /** Tells trigger listeners that the trigger fired and asks each for its veto; all are asked. Never rejects. */
  async checkVeto(context: JobExecutionContext): Promise<boolean> {
    let vetoed = false;
    for (const listener of this.#triggerListeners(context)) {
      await this.#call(
        callOf('trigger', listener, 'triggerFired', () => listener.triggerFired?.(context.trigger, context)),
      );
      const answer = await this.#call(
        callOf('trigger', listener, 'vetoJobExecution', () => listener.vetoJobExecution?.(context.trigger, context)),
      );
      if (answer === true) vetoed = true;
    }
    return vetoed;
  }

  /** Tells job listeners that the job is about to run. Never rejects. */
  async notifyTriggerFired(context: JobExecutionContext): Promise<void> {
    for (const listener of this.#jobListeners(context)) {
      await this.#call(callOf('job', listener, 'jobToBeExecuted', () => listener.jobToBeExecuted?.(context)));
    }
  }

  /** Tells job listeners, in the background, that the job does not run. */
  jobExecutionVetoed(context: JobExecutionContext): void {
    const calls = this.#jobListeners(context).map((listener) =>
      callOf('job', listener, 'jobExecutionVetoed', () => listener.jobExecutionVetoed?.(context)),
    );
    void this.#callAll(calls);
  }

  /** Tells job and then trigger listeners how it ended. Resolves when all were told; never rejects. */
  jobEnded(context: JobExecutionContext, error: Error | null, instruction: CompletionInstruction): Promise<void> {
    const jobCalls = this.#jobListeners(context).map((listener) =>
      callOf('job', listener, 'jobWasExecuted', () => listener.jobWasExecuted?.(context, error)),
    );
    const triggerCalls = this.#triggerListeners(context).map((listener) =>
      callOf('trigger', listener, 'triggerComplete', () =>
        listener.triggerComplete?.(context.trigger, context, instruction),
      ),
    );
    return this.#callAll([...jobCalls, ...triggerCalls]);
  }

  /** Tells trigger listeners in the background. */
  triggerMisfired(stored: Trigger): void {
    if (!this.hasTriggerListeners) return;
    const trigger = toTrigger(stored);
    const calls = this.#triggerListeners({ trigger }).map((listener) =>
      callOf('trigger', listener, 'triggerMisfired', () => listener.triggerMisfired?.(trigger)),
    );
    void this.#callAll(calls);
  }

  /** Resolves when nobody is being told anything in the background. */
  whenIdle(): Promise<void> {
    return this.#pending.whenNone();
  }

  /**
   * Waits at most `patience` milliseconds for what is being told in the background. After that no time limit of ours
   * keeps the process alive: who was asked before may still answer, and who hangs is forgotten.
   */
  async close(patience: number): Promise<void> {
    if (this.pending > 0) await settlesWithin(this.#parts.clock, patience, this.whenIdle());
    const timers = this.#timers ?? [];
    this.#timers = null;
    for (const timer of timers) timer.abort();
  }

  #jobListeners(context: JobExecutionContext): readonly JobListener[] {
    return this.#heard('job', () =>
      this.#parts.registry.jobListeners.hearing(context.jobDetail.key, ({ name }, error) =>
        this.#reportFailure(`a matcher of the job listener '${name}'`, error),
      ),
    );
  }

  #triggerListeners(context: { readonly trigger: Pick<Trigger, 'key'> }): readonly TriggerListener[] {
    return this.#heard('trigger', () =>
      this.#parts.registry.triggerListeners.hearing(context.trigger.key, ({ name }, error) =>
        this.#reportFailure(`a matcher of the trigger listener '${name}'`, error),
      ),
    );
  }

  /** None, when the job or a listener has put something that throws in the place of what the context shows. */
  #heard<Listener>(kind: 'job' | 'trigger', find: () => readonly Listener[]): readonly Listener[] {
    try {
      return find();
    } catch (error) {
      this.#reportFailure(`${kind} listeners`, error);
      return [];
    }
  }

  async #callAll(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    this.#pending.begin();
    for (const call of calls) await this.#call(call);
    this.#pending.end();
  }

  /** The answer; undefined when there was none in time. */
  async #call({ name, invoke }: Call): Promise<unknown> {
    try {
      const answer = invoke();
      if (!isThenable(answer)) return answer;
      const settled = await this.#inTime(answer);
      if (settled !== TIMED_OUT) return settled;
      this.#reportTimeout(name);
    } catch (error) {
      this.#reportFailure(name, error);
    }
    return undefined;
  }

  async #inTime(answer: PromiseLike<unknown>): Promise<unknown> {
    if (this.#timers === null) return answer;
    const { clock, listenerTimeout } = this.#parts;
    const timer = new AbortController();
    this.#timers.add(timer);
    const timeout = sleepFor(clock, listenerTimeout, timer.signal).then(() =>
      timer.signal.aborted ? answer : TIMED_OUT,
    );
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      this.#timers?.delete(timer);
      timer.abort();
    }
  }

  #reportTimeout(called: string): void {
    const { listenerTimeout } = this.#parts;
    const message = `Expected ${called} to answer within ${listenerTimeout} ms (listenerTimeout); going on without it.`;
    this.#report(called, new SchedulerError('LISTENER_TIMEOUT', message));
  }

  #reportFailure(called: string, thrown: unknown): void {
    const cause = toError(thrown);
    this.#report(
      called,
      new SchedulerError('LISTENER_FAILED', `Calling ${called} failed: ${cause.message}`, { cause }),
    );
  }

  #report(called: string, error: SchedulerError): void {
    const { bus, clock } = this.#parts;
    bus.publish({ type: 'schedulerError', at: clock.now(), during: `calling ${called}`, error });
  }
}

function callOf(
  kind: 'job' | 'trigger',
  { name }: { readonly name: string },
  method: string,
  invoke: () => unknown,
): Call {
  return { name: `${method} of the ${kind} listener '${name}'`, invoke };
}
