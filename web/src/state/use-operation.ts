import { useEffect, useRef, useState } from 'preact/hooks';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { call } from './api';
import { tick } from './live';
import { isOutage } from './outage';
import { scheduler } from './session';

export interface Asked<T> {
  /** The last answer; it stays while the next one is on its way. */
  readonly data: T | null;
  readonly error: Error | null;
  readonly isLoading: boolean;
  again(): void;
}

type State<T> = Omit<Asked<T>, 'again'> & { readonly question: string };

const NOTHING_YET = { data: null, error: null, isLoading: true } as const;

/** So many parts of a list that is searched in parts are looked at by themselves before it is shown that nothing was found in them. */
const MOST_EMPTY_PARTS = 20;

/** Asks; where a part of a list has nothing that matches, for the parts behind it too. */
async function searchOn<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: NonNullable<Parameters<typeof call>[2]>,
): Promise<OutputOf<Name>> {
  let answer = await call(name, input, options);
  for (let part = 1; part < MOST_EMPTY_PARTS; part++) {
    const { items, next = null } = answer as { readonly items?: readonly unknown[]; readonly next?: string | null };
    if (items?.length !== 0 || next === null) break;
    answer = await call(name, { ...input, after: next }, options);
  }
  return answer;
}

/** What an operation that reads answers, asked again whenever something may have changed. `input` null: it is not asked. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | null,
  options: { readonly isLive?: boolean } = {},
): Asked<OutputOf<Name>> {
  const { isLive = true } = options;
  const [state, setState] = useState<State<OutputOf<Name>>>({ ...NOTHING_YET, question: '' });
  const [count, setCount] = useState(0);
  const question = JSON.stringify([scheduler.value, name, input]);
  const moment = isLive ? tick.value : 0;
  const last = useRef('');
  useEffect(() => {
    if (input === null) return;
    // All who look are told to look again at the same time: one answer does for them. What somebody asks for by hand is worked out for them.
    const asked = `${count} ${question}`;
    const maxAge = last.current === asked ? 1 : 0;
    last.current = asked;
    const controller = new AbortController();
    const { signal } = controller;
    setState((old) => ({ ...(old.question === question ? old : NOTHING_YET), isLoading: true, question }));
    searchOn(name, input, { signal, maxAge }).then(
      (data) => signal.aborted || setState({ data, error: null, isLoading: false, question }),
      (error: Error) =>
        signal.aborted ||
        setState((old) => ({
          ...old,
          error: isOutage(error) ? old.error : error,
          isLoading: false,
        })),
    );
    return () => controller.abort();
  }, [question, moment, count]);
  // What was asked before answers another question, also in the moment before this one is asked.
  const { question: answered, ...shown } = state;
  return { ...(answered === question ? shown : NOTHING_YET), again: () => setCount((old) => old + 1) };
}
