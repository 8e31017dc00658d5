import { computed, signal } from '@preact/signals';
import { unsaved } from './unsaved';

/** Address of the page, such as `#/jobs/DEFAULT/backup?tab=runs`. In the hash, so that it works below any path of any server. */
export interface Route {
  /** Decoded segments of the path. */
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

/** Asks the user to confirm leaving unsaved changes; `leave` continues the navigation. Set by the frame. */
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

/** True once after a navigation to another page, so that its heading takes the focus once. */
export function takeNavigation(): boolean {
  const navigated = hasNavigated;
  hasNavigated = false;
  return navigated;
}

export const route = computed(() => current.value);

/** Address of a page of the console. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = href(path, query);
}

/** Replaces part of the query without a history entry, so that Back leaves the page instead of undoing a filter. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', withQuery(changes));
  update();
}

/** Number of pages of a list that the history holds before this one. */
const pageDepth = (): number => (history.state as { readonly pages?: number } | null)?.pages ?? 0;

/** Opens another page of a list with a history entry, so that Back returns to this one. */
export function openPage(after: string): void {
  history.pushState({ pages: pageDepth() + 1 }, '', withQuery({ after }));
  update();
}

/** True if Back leads to the previous page of this list. False for a page that was opened by its address. */
export function hasPreviousPage(): boolean {
  return pageDepth() > 0;
}

function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = current.value;
  return href(path, { ...Object.fromEntries(query), ...changes });
}
