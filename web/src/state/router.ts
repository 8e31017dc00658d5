import { computed, signal } from '@preact/signals';

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
addEventListener('hashchange', () => {
  const next = read();
  hasMoved ||= next.path.join('/') !== current.peek().path.join('/');
  current.value = next;
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

/** Changes a part of the query, and keeps the place in the history where nothing but typing has changed. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = current.value;
  const next = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', href(path, next));
  current.value = read();
}
