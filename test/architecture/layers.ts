/** The layers, lowest first. A file may import from its own folder and from lower layers; siblings do not import each other. */
export const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['domain'],
  // `java`: the rows that Java writes, as plain data, without a database.
  ['api', 'java'],
  ['store', 'workers', 'events', 'config'],
  // The language of jobs, triggers and calendars: files, operations and the page read and write it.
  ['definitions'],
  // Plugins are written against api/plugin.ts alone; the wiring above loads those that a configuration names.
  ['engine', 'cluster', 'plugins'],
  ['scheduler'],
  // Operations that HTTP, the console and commands share.
  ['operations'],
  // Interfaces to the outside: HTTP and OpenTelemetry.
  ['console', 'opentelemetry'],
  ['cli'],
];

/** Entry points. They may import every layer below `cli`. */
export const ENTRY_POINTS = ['index', 'testing', 'console', 'opentelemetry'];

/** Store adapters. Only the wiring may import them; all other code uses the port. */
export const ADAPTERS: readonly { readonly adapter: string; readonly allowedIn: readonly string[] }[] = [
  { adapter: 'store/memory/', allowedIn: ['store/memory/', 'scheduler/node/open-store'] },
  {
    adapter: 'store/sql/',
    allowedIn: ['store/sql/', 'scheduler/node/', 'scheduler/database-tools'],
  },
  { adapter: 'store/thread/', allowedIn: ['store/thread/', 'scheduler/node/'] },
];

/** Folders of the SQL store, lowest first; '' is the store itself. Folders on one line do not import each other. */
export const SQL_ROOMS: readonly (readonly string[])[] = [
  ['runtime'],
  ['rows', 'schema'],
  ['engine'],
  ['operations', 'mysql', 'sqlite'],
  ['examination'],
  [''],
];
