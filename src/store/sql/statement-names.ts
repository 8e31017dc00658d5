// Generated from sql/mysql/queries; `UPDATE_BASELINE=1 npx jest --config .jest.config.js test/sql/same-names` rewrites it.

/** Every statement of `sql/`, in the order of its files. */
export const STATEMENT_NAMES = ['selectLock', 'insertLocks'] as const;

/** The name behind `-- name:` in `sql/<dialect>/queries`. */
export type StatementName = (typeof STATEMENT_NAMES)[number];
