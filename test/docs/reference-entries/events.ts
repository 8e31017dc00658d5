import { codeIn, pageOf, tablesOf } from './read-reference';

/** Every event that docs/reference/events.md names. */
export const eventEntries = (): readonly string[] =>
  tablesOf(pageOf('events')).flatMap(({ rows }) => rows.flatMap(([event = '']) => codeIn(event)));
