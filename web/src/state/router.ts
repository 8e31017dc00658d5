import { computed, signal } from '@preact/signals';
import { unsaved } from './unsaved';

/** Address of a page, such as `#/jobs/DEFAULT/backup?tab=runs`. It is stored in the hash, so that the console works at any path of a server. */
export interface Route {
  /** Segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const current = signal<Route>(readRoute());
let hasNavigated = false;
let shownAddress = location.hash;

function update(): void {
  const next = readRoute();
  hasNavigated ||= next.path.join('/') !== current.peek().path.join('/');
  shownAddress = location.hash;
  current.value = next;
}

/** Asks the user to confirm the loss of unsaved changes. `leave` continues the navigation. The frame replaces this default, which never asks. */
let confirmLeave: (what: string, leave: () => void) => void = (_, leave) => leave();
export function onLeave(handler: typeof confirmLeave): void {
  confirmLeave = handler;
}

function onHashChange(): void {
  const what = unsaved.peek();
  const wanted = location.hash;
  if (what === null || wanted === shownAddress) {
    update();
    return;
  }
  history.pushState(history.state, '', shownAddress);
  confirmLeave(what, () => {
    unsaved.value = null;
    location.hash = wanted;
  });
}
addEventListener('hashchange', onHashChange);
addEventListener('popstate', () => {
  if (location.hash !== shownAddress && unsaved.peek() === null) update();
});

/** Returns true once after each navigation to another page, so that the new page's heading receives the focus once. */
export function takeNavigation(): boolean {
  const navigated = hasNavigated;
  hasNavigated = false;
  return navigated;
}

export const route = computed(() => current.value);

/** Returns the address of a page, for links. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = href(path, query);
}

/** Replaces parameters of the query without adding a history entry. The Back button then leaves the page instead of undoing a filter. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', withQuery(changes));
  update();
}

/** Number of earlier pages of this list in the browser history. */
const pageDepth = (): number => (history.state as { readonly pages?: number } | null)?.pages ?? 0;

/** Opens the page of a list that begins after `after`. Adds a history entry, so that the Back button returns to the current page. */
export function openPage(after: string): void {
  history.pushState({ pages: pageDepth() + 1 }, '', withQuery({ after }));
  update();
}

/** Returns true if the Back button leads to the previous page of this list. False if the user opened this page by its address. */
export function hasPreviousPage(): boolean {
  return pageDepth() > 0;
}

function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = current.value;
  return href(path, { ...Object.fromEntries(query), ...changes });
}
