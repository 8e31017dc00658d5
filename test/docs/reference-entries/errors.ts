import { pageOf, subjectsOf, tablesOf } from './read-reference';

/** Every code that docs/reference/errors.md names. */
export const errorEntries = (): readonly string[] => tablesOf(pageOf('errors')).flatMap(subjectsOf);
