import { computed, signal } from '@preact/signals';
import { unsaved } from './leaving';

/** Where the page is: `#/jobs/DEFAULT/backup?tab=runs`. Behind the hash, so that it works below any path of any server. */
export interface Place {
  /** Decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function read(): Place {
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

const current = signal<Place>(read());
let hasMoved = false;
let shownAddress = location.hash;

function follow(): void {
  const next = read();
  hasMoved ||= next.path.join('/') !== current.peek().path.join('/');
  shownAddress = location.hash;
  current.value = next;
}

/** Asks whether to leave unsaved changes; `leave` goes on. The frame sets it. */
let askToLeave: (what: string, leave: () => void) => void = (_, leave) => leave();
export function onLeave(ask: typeof askToLeave): void {
  askToLeave = ask;
}

function moved(): void {
  const what = unsaved.peek();
  const wanted = location.hash;
  if (what === null || wanted === shownAddress) {
    follow();
    return;
  }
  history.pushState(history.state, '', shownAddress);
  askToLeave(what, () => {
    unsaved.value = null;
    location.hash = wanted;
  });
}
addEventListener('hashchange', moved);
addEventListener('popstate', () => {
  if (location.hash !== shownAddress && unsaved.peek() === null) follow();
});

/** Whether the page has gone to another place since it was asked last: the heading of that place takes the focus once. */
export function takeMove(): boolean {
  const moved = hasMoved;
  hasMoved = false;
  return moved;
}

export const place = computed(() => current.value);

/** The address of a place within the page. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? '') !== '');
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = href(path, query);
}

/** Changes a part of the query in place: Back leaves the page, and does not undo what was typed. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(history.state, '', withQuery(changes));
  follow();
}

/** How many pages of a list the history holds before this one. */
const pageDepth = (): number => (history.state as { readonly pages?: number } | null)?.pages ?? 0;

/** Goes to another page of a list: Back returns to this one. */
export function openPage(after: string): void {
  history.pushState({ pages: pageDepth() + 1 }, '', withQuery({ after }));
  follow();
}

/** Whether Back leads to the previous page of this list; a page opened by its address has none. */
export function hasPreviousPage(): boolean {
  return pageDepth() > 0;
}

function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const { path, query } = current.value;
  return href(path, { ...Object.fromEntries(query), ...changes });
}
