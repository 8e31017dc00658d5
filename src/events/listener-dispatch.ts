import type { JobExecutionContext, JobListener, TriggerListener } from '../api/scheduler';
import { toTrigger } from '../api/trigger';
import type { Clock } from '../base/clock';
import { SchedulerError, toError } from '../base/errors';
import { isThenable } from '../base/is-thenable';
import { PendingCount } from '../base/pending-count';
import { completesWithin, sleepFor } from '../base/sleep';
import type { CompletionInstruction } from '../domain/completion';
import type { JobKey, TriggerKey } from '../domain/keys';
import type { Trigger } from '../domain/trigger';
import type { EventBus } from './event-bus';
import type { ListenerRegistry, MatchedListeners } from './listener-registry';

interface ListenerDispatchParts {
  readonly registry: Pick<ListenerRegistry, 'jobListeners' | 'triggerListeners'>;
  readonly bus: EventBus;
  readonly clock: Clock;
  /** Maximum duration of one listener call, in milliseconds. */
  readonly listenerTimeout: number;
}

type Methods<Listener> = Readonly<Record<string, (listener: Listener) => unknown>>;

interface Call {
  readonly method: string;
  /** Description for messages, such as `jobWasExecuted of the job listener 'audit'`. */
  readonly name: string;
  readonly invoke: () => unknown;
}

const TIMED_OUT = Symbol('timed out');

/** Calls job and trigger listeners in the order added. Reports failures and timeouts as `schedulerError`, and still calls the next listener. */
export class ListenerDispatch {
  readonly #parts: ListenerDispatchParts;
  readonly #pending = new PendingCount();
  /** Timers of the calls in progress. Null after `close`: calls then have no timeout. */
  #timers: Set<AbortController> | null = new Set();

  constructor(parts: ListenerDispatchParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    const { jobListeners, triggerListeners } = this.#parts.registry;
    return jobListeners.isEmpty && triggerListeners.isEmpty;
  }

  /** Number of background calls that have not ended. */
  get pending(): number {
    return this.#pending.count;
  }

  /** Notifies trigger listeners that the trigger fired. Calls all matching listeners. Returns true if at least one listener vetoes. Never rejects. */
  async checkVeto(context: JobExecutionContext): Promise<boolean> {
    const calls = this.#triggerCalls(() => context.trigger.key, {
      triggerFired: (listener) => listener.triggerFired?.(context.trigger, context),
      vetoJobExecution: (listener) => listener.vetoJobExecution?.(context.trigger, context),
    });
    let vetoed = false;
    for (const call of calls) {
      const answer = await this.#call(call);
      if (call.method === 'vetoJobExecution' && answer === true) vetoed = true;
    }
    return vetoed;
  }

  /** Notifies job listeners that the job is about to run. Resolves after all calls. Never rejects. */
  async notifyTriggerFired(context: JobExecutionContext): Promise<void> {
    const calls = this.#jobCalls(context, { jobToBeExecuted: (listener) => listener.jobToBeExecuted?.(context) });
    for (const call of calls) await this.#call(call);
  }

  /** Notifies job listeners in the background that the job was vetoed. */
  jobExecutionVetoed(context: JobExecutionContext): void {
    const calls = this.#jobCalls(context, { jobExecutionVetoed: (listener) => listener.jobExecutionVetoed?.(context) });
    void this.#callAll(calls);
  }

  /** Notifies job listeners, then trigger listeners, that the run has ended. Resolves after all calls. Never rejects. */
  jobEnded(context: JobExecutionContext, error: Error | null, instruction: CompletionInstruction): Promise<void> {
    const jobCalls = this.#jobCalls(context, {
      jobWasExecuted: (listener) => listener.jobWasExecuted?.(context, error, instruction),
    });
    const triggerCalls = this.#triggerCalls(() => context.trigger.key, {
      triggerComplete: (listener) => listener.triggerComplete?.(context.trigger, context, instruction),
    });
    return this.#callAll([...jobCalls, ...triggerCalls]);
  }

  /** Notifies trigger listeners in the background that the trigger misfired. */
  triggerMisfired(stored: Trigger): void {
    if (this.#parts.registry.triggerListeners.isEmpty) return;
    const trigger = toTrigger(stored);
    const misfired = { triggerMisfired: (listener: TriggerListener) => listener.triggerMisfired?.(trigger) };
    void this.#callAll(this.#triggerCalls(() => trigger.key, misfired));
  }

  /** Resolves when no background call is in progress. */
  whenIdle(): Promise<void> {
    return this.#pending.whenNone();
  }

  /** Waits up to `timeoutMs` for background calls, then stops all timers, so that none keeps the process alive. Calls in progress may end later. */
  async close(timeoutMs: number): Promise<void> {
    if (this.pending > 0) await completesWithin(this.#parts.clock, timeoutMs, this.whenIdle());
    const timers = this.#timers ?? [];
    this.#timers = null;
    for (const timer of timers) timer.abort();
  }

  #jobCalls(context: JobExecutionContext, methods: Methods<JobListener>): readonly Call[] {
    return this.#callsOf(this.#parts.registry.jobListeners, () => context.jobDetail.key, methods);
  }

  #triggerCalls(keyOf: () => TriggerKey, methods: Methods<TriggerListener>): readonly Call[] {
    return this.#callsOf(this.#parts.registry.triggerListeners, keyOf, methods);
  }

  /** Returns the calls of all listeners that match the key. Empty if `keyOf` throws, because a job may have overwritten its context. */
  #callsOf<Listener extends { readonly name: string }, Key extends JobKey | TriggerKey>(
    registered: MatchedListeners<Listener, Key>,
    keyOf: () => Key,
    methods: Methods<Listener>,
  ): readonly Call[] {
    const of = (listener: Listener) => `of the ${registered.kind} listener '${listener.name}'`;
    try {
      const matching = registered.matching(keyOf(), (listener, error) =>
        this.#reportFailure(`a matcher ${of(listener)}`, error),
      );
      return matching.flatMap((listener) =>
        Object.entries(methods).map(([method, call]) => ({
          method,
          name: `${method} ${of(listener)}`,
          invoke: () => call(listener),
        })),
      );
    } catch (error) {
      this.#reportFailure(`${registered.kind} listeners`, error);
      return [];
    }
  }

  async #callAll(calls: readonly Call[]): Promise<void> {
    if (calls.length === 0) return;
    this.#pending.begin();
    for (const call of calls) await this.#call(call);
    this.#pending.end();
  }

  /** Returns the listener's return value, or undefined if the listener failed or exceeded the timeout. */
  async #call({ name, invoke }: Call): Promise<unknown> {
    try {
      const answer = invoke();
      if (!isThenable(answer)) return answer;
      const result = await this.#inTime(answer);
      if (result !== TIMED_OUT) return result;
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
    const message = `Expected ${called} to return within ${listenerTimeout} ms (listenerTimeout). Continuing without it.`;
    this.#report(called, new SchedulerError('LISTENER_TIMEOUT', message));
  }

  #reportFailure(called: string, thrown: unknown): void {
    const cause = toError(thrown);
    const message = `Calling ${called} failed: ${cause.message}`;
    this.#report(called, new SchedulerError('LISTENER_FAILED', message, { cause }));
  }

  #report(called: string, error: SchedulerError): void {
    const { bus, clock } = this.#parts;
    bus.publish({ type: 'schedulerError', at: clock.now(), during: `calling ${called}`, error });
  }
}
