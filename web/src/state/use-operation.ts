import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { call } from './api';
import { tick } from './live';
import { isOutage } from './outage';
import { scheduler } from './session';

export interface OperationResult<T> {
  /** Last output. Remains available while the next request is pending. */
  readonly data: T | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
  reload(): void;
}

type State<T> = Omit<OperationResult<T>, 'reload'> & { readonly requestKey: string };

const NO_RESULT = { data: null, error: null, isLoading: true } as const;

/** Maximum number of pages to fetch in search of a match, before the list says that it has found none so far. */
const MAX_EMPTY_PAGES = 20;

/** Performs an operation. If it returns an empty page of a list that continues, fetches up to 20 pages until one contains a match. */
async function fetchFirstMatch<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: NonNullable<Parameters<typeof call>[2]>,
): Promise<OutputOf<Name>> {
  let answer = await call(name, input, options);
  for (let page = 1; page < MAX_EMPTY_PAGES; page++) {
    const { items, next = null } = answer as { readonly items?: readonly unknown[]; readonly next?: string | null };
    if (items?.length !== 0 || next === null) break;
    answer = await call(name, { ...input, after: next }, options);
  }
  return answer;
}

/** Performs a reading operation, again when data may have changed, and returns its result. Fetches nothing if `input` is null. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | null,
  options: { readonly isLive?: boolean } = {},
): OperationResult<OutputOf<Name>> {
  const { isLive = true } = options;
  const [state, setState] = useState<State<OutputOf<Name>>>({ ...NO_RESULT, requestKey: '' });
  const [count, setCount] = useState(0);
  const requestKey = JSON.stringify([scheduler.value, name, input]);
  const version = isLive ? tick.value : 0;
  const last = useRef('');
  useEffect(() => {
    if (input === null) return;
    // All open consoles refresh at the same time, so the server may send them one cached response. A manual reload requests a new response.
    const request = `${count} ${requestKey}`;
    const maxAge = last.current === request ? 1 : 0;
    last.current = request;
    const controller = new AbortController();
    const { signal } = controller;
    setState((old) => ({ ...(old.requestKey === requestKey ? old : NO_RESULT), isLoading: true, requestKey }));
    fetchFirstMatch(name, input, { signal, maxAge }).then(
      (data) => signal.aborted || setState({ data, error: null, isLoading: false, requestKey }),
      (error: Error) =>
        signal.aborted ||
        setState((old) => ({
          ...old,
          error: isOutage(error) ? old.error : error,
          isLoading: false,
        })),
    );
    return () => controller.abort();
  }, [requestKey, version, count]);
  // `state` may still contain the response to the previous request.
  const { requestKey: answeredKey, ...result } = state;
  return { ...(answeredKey === requestKey ? result : NO_RESULT), reload: () => setCount((old) => old + 1) };
}
