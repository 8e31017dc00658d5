import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go } from '../state/router';

/** Pages that can be opened by pressing `g` and then this key. */
const SHORTCUTS: Readonly<Record<string, readonly [string, string]>> = {
  o: ['', 'Overview'],
  l: ['timeline', 'Timeline'],
  j: ['jobs', 'Jobs'],
  t: ['triggers', 'Triggers'],
  c: ['calendars', 'Calendars'],
  e: ['running', 'Running'],
  r: ['runs', 'Runs'],
  d: ['dead-letters', 'Dead letters'],
  v: ['overdue', 'Overdue'],
  b: ['backfills', 'Backfills'],
  p: ['pauses', 'Pauses'],
  f: ['schedule-file', 'Schedule file'],
  n: ['nodes', 'Nodes'],
  h: ['doctor', 'Doctor'],
  a: ['actions', 'Action log'],
};

/** Maximum time between `g` and the next key, in milliseconds. */
const PREFIX_TIMEOUT_MS = 1_500;

const isShown = signal(false);
let prefixUntil = 0;

addEventListener('keydown', (event) => {
  const { target, key } = event;
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const to = event.timeStamp < prefixUntil ? SHORTCUTS[key] : undefined;
  prefixUntil = key === 'g' ? event.timeStamp + PREFIX_TIMEOUT_MS : 0;
  if (to !== undefined) go(to[0] === '' ? [] : [to[0]]);
  else if (key === '?') isShown.value = true;
});

export function ShortcutsDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = isShown.value;
  useEffect(() => {
    if (shown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [shown]);
  const close = () => {
    isShown.value = false;
  };
  return (
    <dialog ref={dialog} aria-labelledby="keys" onClose={close}>
      <h2 id="keys">Keyboard shortcuts</h2>
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>Show shortcuts</dd>
        {Object.entries(SHORTCUTS).map(([key, [, name]]) => [
          <dt key={key}>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>,
          <dd key={name}>{name}</dd>,
        ])}
      </dl>
      <footer>
        <button type="button" onClick={close}>
          Close
        </button>
      </footer>
    </dialog>
  );
}

export function ShortcutsButton() {
  return (
    <button
      type="button"
      class="plain"
      title="Keyboard shortcuts ( ? )"
      aria-label="Keyboard shortcuts"
      onClick={() => {
        isShown.value = true;
      }}
    >
      ?
    </button>
  );
}
