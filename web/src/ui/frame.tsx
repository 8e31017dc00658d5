import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../state/live';
import { href, place, takeMove } from '../state/router';
import { choose, scheduler, session } from '../state/session';
import { isLive, type Theme, theme, zone } from '../state/settings';
import { Confirmation } from './confirm';
import { Keys, KeysButton } from './keys';

/** The places of the page, in the order of the rail. */
export const PLACES = [
  ['', 'Overview'],
  ['timeline', 'Timeline'],
  ['jobs', 'Jobs'],
  ['triggers', 'Triggers'],
  ['calendars', 'Calendars'],
  ['running', 'Running'],
  ['runs', 'Runs'],
  ['dead-letters', 'Dead letters'],
  ['nodes', 'Nodes'],
  ['doctor', 'Doctor'],
  ['actions', 'Action log'],
] as const;

/** What surrounds every page. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const [here = ''] = place.value.path;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <nav class="rail" aria-label="Places">
        <a class="brand" href={href([])} aria-label="Quartz: overview">
          <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
            <path fill="var(--accent)" d="M16 2 27 9v14l-11 7L5 23V9z" />
            <path fill="var(--surface)" d="M15 8h2v8.2l5.4 3.1-1 1.8L15 17.4z" />
          </svg>
          <span>Quartz</span>
        </a>
        {PLACES.map(([path, name]) => (
          <a
            key={path}
            class="place"
            href={href(path === '' ? [] : [path])}
            aria-current={path === here ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
        <div class="below">
          {session.value?.name} · {session.value?.isReadOnly ? 'read-only' : session.value?.role}
        </div>
      </nav>
      <div class="main">
        <Bar />
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
      <Confirmation />
      <Keys />
    </div>
  );
}

function focusContent(): void {
  document.getElementById('content')?.focus();
}

const ZONES = ['local', 'UTC'];

function Bar() {
  const names = session.value?.schedulers ?? [];
  const state = isLive.value ? connection.value : 'closed';
  return (
    <header class="bar">
      {names.length > 1 && (
        <select
          aria-label="Scheduler"
          value={scheduler.value}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {names.length === 1 && <strong>{names[0]}</strong>}
      <button
        type="button"
        class="plain live"
        data-state={state}
        aria-pressed={isLive.value}
        onClick={() => {
          isLive.value = !isLive.value;
        }}
      >
        {!isLive.value ? 'Paused' : state === 'lost' ? 'No answer' : 'Live'}
      </button>
      <select
        aria-label="Time zone"
        value={zone.value}
        onChange={({ currentTarget }) => {
          zone.value = currentTarget.value;
        }}
      >
        {[...new Set([...ZONES, zone.value])].map((name) => (
          <option key={name} value={name}>
            {name === 'local' ? 'Local time' : name}
          </option>
        ))}
      </select>
      <select
        aria-label="Colours"
        value={theme.value}
        onChange={({ currentTarget }) => {
          theme.value = currentTarget.value as Theme;
        }}
      >
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      <KeysButton />
    </header>
  );
}

/** The name of a page, with what can be done there. */
export function Heading({
  title,
  crumbs = [],
  note,
  actions,
}: {
  readonly title: string;
  /** How many there are, or how it is. */
  readonly note?: ComponentChildren;
  readonly crumbs?: readonly (readonly [string, readonly string[]])[];
  readonly actions?: ComponentChildren;
}) {
  document.title = `${title} · Quartz`;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!takeMove()) return;
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class="heading">
      <h1 ref={heading} tabIndex={-1}>
        {crumbs.map(([name, path]) => (
          <span key={name} class="crumbs">
            <a href={href(path)}>{name}</a> /{' '}
          </span>
        ))}
        {title}
      </h1>
      <span class="note">{note}</span>
      <div class="actions">{actions}</div>
    </div>
  );
}
