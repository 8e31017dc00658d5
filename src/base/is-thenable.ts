/** Whether a value can be awaited: user code returns promises of any make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
}
