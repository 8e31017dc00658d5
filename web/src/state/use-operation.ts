import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { call } from './api';
import { tick } from './live';
import { scheduler } from './session';

export interface Asked<T> {
  /** The last answer; it stays while the next one is on its way. */
  readonly data: T | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
  again(): void;
}

/** What an operation that reads answers, asked again whenever something may have changed. `input` null: it is not asked. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | null,
  options: { readonly isLive?: boolean } = {},
): Asked<OutputOf<Name>> {
  const { isLive = true } = options;
  const [state, setState] = useState<Omit<Asked<OutputOf<Name>>, 'again'>>({
    data: null,
    error: null,
    isLoading: true,
  });
  const [count, setCount] = useState(0);
  const question = JSON.stringify([scheduler.value, name, input]);
  const asked = useRef('');
  const moment = isLive ? tick.value : 0;
  useEffect(() => {
    if (input === null) return;
    const controller = new AbortController();
    const isNew = asked.current !== question;
    asked.current = question;
    setState((old) => ({ data: isNew ? null : old.data, error: isNew ? null : old.error, isLoading: true }));
    call(name, input, controller.signal).then(
      (data) => setState({ data, error: null, isLoading: false }),
      (error: Error) => {
        if (!controller.signal.aborted) setState((old) => ({ data: old.data, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [question, moment, count]);
  return { ...state, again: () => setCount((old) => old + 1) };
}
