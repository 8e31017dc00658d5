const IN_CALL = 1;
const REFUSED = 2;

/**
 * Marks the calls into native code that one thread makes, in memory that it shares with the thread that ends it. Node can abort the whole process if a
 * thread is ended within a native call that then throws. So the ending thread calls `refuse` first and waits until no call runs.
 */
export class NativeCalls {
  readonly #state: Int32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.#state = new Int32Array(memory);
  }

  /** Begins a call. Returns false if calls are refused; the caller must then not make it. Calls do not nest. */
  begin(): boolean {
    return Atomics.compareExchange(this.#state, 0, 0, IN_CALL) === 0;
  }

  end(): void {
    if (Atomics.and(this.#state, 0, ~IN_CALL) !== IN_CALL) Atomics.notify(this.#state, 0);
  }

  /** True while a call runs. After `refuse`, it never becomes true again. */
  get isRunning(): boolean {
    return (Atomics.load(this.#state, 0) & IN_CALL) !== 0;
  }

  /** Refuses all calls from now on. A call that has begun goes on. */
  refuse(): void {
    Atomics.or(this.#state, 0, REFUSED);
  }

  /** After `refuse`: blocks this thread until no call runs, for at most `timeoutMs`. */
  wait(timeoutMs: number): void {
    Atomics.wait(this.#state, 0, IN_CALL | REFUSED, timeoutMs);
  }
}

let ofThisThread: NativeCalls | null = null;

/** Guards the native calls that this thread makes from now on. Called once, when the thread starts. */
export function guardNativeCalls(calls: NativeCalls): void {
  ofThisThread = calls;
}

/** The guard of this thread's native calls. Null in a thread that nothing ends, such as the main thread. */
export function nativeCallsOfThread(): NativeCalls | null {
  return ofThisThread;
}
