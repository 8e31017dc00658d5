import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hasPreviousPage, openPage, route, setQuery } from '../state/router';

/** Filters of a list. The address contains them, so that users can share a filtered list. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return <search class="filters">{children}</search>;
}

/** Delay between the last keystroke and the request, in milliseconds. Long enough to type a word, short enough to seem immediate. */
const TYPING_MS = 250;

/** Value of a filter in the query. The query is updated when the user pauses typing. */
function useTypedQuery(name: string): readonly [string, (text: string) => void] {
  const current = route.value.query.get(name) ?? '';
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text === current) return;
    const timer = setTimeout(() => setQuery({ [name]: text, after: undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, current, name]);
  return [text, setText];
}

/** Search field. Pressing `/` anywhere on the page focuses it. */
export function SearchFilter({ label, name = 'search' }: { readonly label: string; readonly name?: string }) {
  const [text, setText] = useTypedQuery(name);
  return (
    <input
      type="search"
      data-search
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

/** Filter for an exact name. */
export function NameFilter({ label, name }: { readonly label: string; readonly name: string }) {
  const [text, setText] = useTypedQuery(name);
  return (
    <input
      type="text"
      class="name"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

export function ChoiceFilter({
  label,
  name,
  choices,
}: {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly (readonly [string, string])[];
}) {
  return (
    <select
      aria-label={label}
      value={route.value.query.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value, after: undefined })}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function Pages({ next }: { readonly next: string | null | undefined }) {
  const after = route.value.query.get('after');
  if (after === null && (next === null || next === undefined)) return null;
  return (
    <nav class="filters" aria-label="Pagination">
      {after !== null && (
        <button type="button" onClick={() => setQuery({ after: undefined })}>
          First page
        </button>
      )}
      {after !== null && hasPreviousPage() && (
        <button type="button" onClick={() => history.back()}>
          Previous page
        </button>
      )}
      {next !== null && next !== undefined && (
        <button type="button" onClick={() => openPage(next)}>
          Next page
        </button>
      )}
    </nav>
  );
}

addEventListener('keydown', (event) => {
  const { target } = event;
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  if (field === null) return;
  event.preventDefault();
  field.focus();
});
