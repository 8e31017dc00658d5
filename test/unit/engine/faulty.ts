/** A wrapper that forwards every call to the real object, except calls that a test makes fail or wait. */
export interface Faulty<T extends object> {
  readonly target: T;
  /** The names of the methods called, in order. */
  readonly calls: string[];
  /** Lets the next calls of a method reject. */
  fail(method: keyof T & string, times?: number): void;
  /** Lets calls of a method wait until the returned function is called. */
  hold(method: keyof T & string): () => void;
}

/** Wraps an object whose methods are all asynchronous. */
export function faulty<T extends object>(real: T): Faulty<T> {
  const calls: string[] = [];
  const failures = new Map<PropertyKey, number>();
  const gates = new Map<PropertyKey, Promise<void>>();
  const target = new Proxy(real, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name, object);
      if (typeof member !== 'function') return member;
      return async (...parameters: unknown[]) => {
        calls.push(String(name));
        await gates.get(name);
        const left = failures.get(name) ?? 0;
        failures.set(name, left - 1);
        if (left > 0) throw new Error(`${String(name)} failed`);
        return member.apply(object, parameters);
      };
    },
  });
  return {
    target,
    calls,
    fail: (method, times = 1) => void failures.set(method, times),
    hold(method) {
      let open = () => {};
      gates.set(
        method,
        new Promise((resolve) => {
          open = resolve;
        }),
      );
      return () => {
        gates.delete(method);
        open();
      };
    },
  };
}
