import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hasPreviousPage, openPage, place, setQuery } from '../state/router';

/** What narrows a list; all of it stands in the address, so that it can be passed on. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return <search class="filters">{children}</search>;
}

/** Long enough to type a word, short enough to feel at once. Milliseconds. */
const TYPING_MS = 250;

/** A text of the query; an empty one is not asked for. */
function useTypedQuery(name: string): readonly [string, (text: string) => void] {
  const asked = place.value.query.get(name) ?? '';
  const [text, setText] = useState(asked);
  useEffect(() => setText(asked), [asked]);
  useEffect(() => {
    if (text === asked) return;
    const timer = setTimeout(() => setQuery({ [name]: text, after: undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, asked, name]);
  return [text, setText];
}

/** What is searched for. `/` goes there from anywhere. */
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

/** A name that must be exactly that one. */
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

/** One of a few words of the query. */
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
      value={place.value.query.get(name) ?? ''}
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

/** Further pages, by key. */
export function Pages({ next }: { readonly next: string | null | undefined }) {
  const after = place.value.query.get('after');
  if (after === null && (next === null || next === undefined)) return null;
  return (
    <nav class="filters" aria-label="Pages">
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
