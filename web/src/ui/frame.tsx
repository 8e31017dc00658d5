import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { outage } from '../state/outage';
import { href, onLeave, place, takeMove } from '../state/router';
import { ask, Confirmation } from './confirm';
import { mayRun } from './deeds';
import { Keys } from './keys';
import { OutageBar } from './outage-bar';
import { LiveButton, SchedulerChoice, Settings, Who } from './settings';

/** The places of the page, in the order of the rail; `null`: of no part. */
const PLACES = [
  [
    null,
    [
      ['', 'Overview'],
      ['timeline', 'Timeline'],
    ],
  ],
  [
    'Work',
    [
      ['running', 'Running'],
      ['runs', 'Runs'],
      ['dead-letters', 'Dead letters'],
      ['overdue', 'Overdue'],
      ['backfills', 'Backfills'],
    ],
  ],
  [
    'Schedule',
    [
      ['jobs', 'Jobs'],
      ['triggers', 'Triggers'],
      ['calendars', 'Calendars'],
      ['pauses', 'Pauses'],
      ['overrides', 'Overrides'],
      ['schedule-file', 'Schedule file'],
    ],
  ],
  [
    'Cluster',
    [
      ['nodes', 'Nodes'],
      ['doctor', 'Doctor'],
      ['actions', 'Action log'],
    ],
  ],
] as const;

onLeave((what, leave) =>
  ask({
    title: 'Leave without saving?',
    body: `${what} on this page will be lost.`,
    deed: 'Leave',
    isDestructive: true,
    act: async () => leave(),
  }),
);

/** What surrounds every page. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to the content
      </button>
      <Rail />
      <main id="content" class="main" tabIndex={-1} data-stale={outage.value !== null || undefined}>
        <OutageBar />
        {children}
      </main>
      <Confirmation />
      <Keys />
    </div>
  );
}

/** Where one can go, and how it is shown. On a phone it is folded. */
function Rail() {
  const [here = ''] = place.value.path;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [place.value]);
  return (
    <header class="rail" data-open={isOpen || undefined}>
      <div class="top">
        <a class="brand" href={href([])} aria-label="Quartz: overview">
          <Crystal />
          <span>Quartz</span>
        </a>
        <LiveButton />
        <button type="button" class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
      </div>
      <div class="folds">
        <SchedulerChoice />
        <nav aria-label="Places">
          {PLACES.map(([part, places]) => (
            <div key={part}>
              {part !== null && <div class="part">{part}</div>}
              {places.filter(isSeen).map(([path, name]) => (
                <a
                  key={path}
                  class="place"
                  href={href(path === '' ? [] : [path])}
                  aria-current={path === PARENTS[here] || path === here ? 'page' : undefined}
                >
                  {name}
                </a>
              ))}
            </div>
          ))}
        </nav>
        <div class="below">
          <Settings />
          <Who />
        </div>
      </div>
    </header>
  );
}

/** What is shown to nobody else is no place for them. */
function isSeen([path]: readonly [string, string]): boolean {
  return path !== 'actions' || mayRun('actions.list');
}

/** Where what is new will be found. */
const PARENTS: Readonly<Record<string, string>> = {
  'new-job': 'jobs',
  'new-trigger': 'triggers',
  'new-calendar': 'calendars',
};

function Crystal() {
  return (
    <svg width="20" height="22" viewBox="0 0 32 36" aria-hidden="true">
      <path fill="var(--accent)" d="M16 1 29 9v18l-13 8L3 27V9z" />
      <path fill="var(--rail)" fill-opacity="0.28" d="M16 1 29 9l-13 8zM16 17v18L3 27z" />
      <path fill="var(--rail)" d="M15 9h2.2v8.6l5.6 3.3-1.1 1.9-6.7-3.9z" />
    </svg>
  );
}

function focusContent(): void {
  document.getElementById('content')?.focus();
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
