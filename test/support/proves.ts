/** Pages of docs/reference/ whose entries must each be proved by a test. */
export type ReferencePage = 'configuration' | 'errors' | 'events' | 'command-line' | 'schedule-file';

/**
 * Marks the test in which it is called as a proof that entries of a reference page have the effect that the page describes. The page and the
 * entries are literals: `test/docs/proofs.test.ts` reads them from the sources, and fails for an entry without a proof. The test must assert something.
 */
export function proves(_page: ReferencePage, ..._entries: readonly string[]): void {
  expect.hasAssertions();
}
