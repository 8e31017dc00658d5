/** The layers, lowest first. A file may import from its own folder and from lower layers; siblings do not import each other. */
export const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['domain'],
  // What Java writes into rows, as plain data: knows no database.
  ['api', 'java'],
  ['store', 'workers', 'events', 'config'],
  // The language of jobs, triggers and calendars: files, operations and the page read and write it.
  ['definitions'],
  // Plugins are written against api/plugin.ts alone; the wiring above loads those that a configuration names.
  ['engine', 'cluster', 'plugins'],
  ['scheduler'],
  // What can be done from outside a program, and the faces that are made from it.
  ['operations'],
  // What is told to the outside: over HTTP, or to OpenTelemetry.
  ['console', 'opentelemetry'],
  ['cli'],
];

/** The entry points assemble; they may import anything below the programs. */
export const ENTRY_POINTS = ['index', 'testing', 'console', 'opentelemetry'];

/** Adapters are known to the wiring alone; everyone else sees the port. */
export const ADAPTERS: readonly { readonly adapter: string; readonly allowedIn: readonly string[] }[] = [
  { adapter: 'store/memory/', allowedIn: ['store/memory/', 'scheduler/node/open-store'] },
  {
    adapter: 'store/sql/',
    allowedIn: ['store/sql/', 'scheduler/node/', 'scheduler/database-tools'],
  },
  { adapter: 'store/thread/', allowedIn: ['store/thread/', 'scheduler/node/'] },
];

/** The rooms of the SQL store, lowest first; '' is the store itself. Rooms on one line do not import each other. */
export const SQL_ROOMS: readonly (readonly string[])[] = [
  ['runtime'],
  ['rows', 'schema'],
  ['engine'],
  ['operations', 'mysql', 'sqlite'],
  ['examination'],
  [''],
];
