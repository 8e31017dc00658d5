/** Tests for a `then` method, because user code may return promises of any implementation. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
}
