import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { outage } from '../state/outage';
import { href, onLeave, route, takeNavigation } from '../state/router';
import { mayRun } from './action-button';
import { ConfirmationDialog, confirmAction } from './confirm';
import { OutageBar } from './outage-bar';
import { LiveButton, SchedulerChoice, Settings, UserMenu } from './settings';
import { ShortcutsDialog } from './shortcuts';

const NAVIGATION = [
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
  confirmAction({
    title: 'Leave without saving?',
    body: `${what} on this page will be lost.`,
    confirmLabel: 'Leave',
    isDestructive: true,
    act: async () => leave(),
  }),
);

export function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={focusContent}>
        Skip to content
      </button>
      <Rail />
      <main id="content" class="main" tabIndex={-1} data-stale={outage.value !== null || undefined}>
        <OutageBar />
        {children}
      </main>
      <ConfirmationDialog />
      <ShortcutsDialog />
    </div>
  );
}

function Rail() {
  const [here = ''] = route.value.path;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route.value]);
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
      <div class="foldable">
        <SchedulerChoice />
        <nav aria-label="Main">
          {NAVIGATION.map(([section, pages]) => (
            <div key={section}>
              {section !== null && <div class="part">{section}</div>}
              {pages.filter(isVisiblePage).map(([path, name]) => (
                <a
                  key={path}
                  class="page"
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
          <UserMenu />
        </div>
      </div>
    </header>
  );
}

function isVisiblePage([path]: readonly [string, string]): boolean {
  return path !== 'actions' || mayRun('actions.list');
}

/** Pages that the navigation highlights for the editors of new definitions. */
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

export function Heading({
  title,
  crumbs = [],
  note,
  actions,
}: {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly crumbs?: readonly (readonly [string, readonly string[]])[];
  readonly actions?: ComponentChildren;
}) {
  document.title = `${title} · Quartz`;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!takeNavigation()) return;
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
