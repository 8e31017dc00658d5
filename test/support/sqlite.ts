import { loadSqlite } from '../../src/store/sql/sqlite/sqlite-module';

type Package = typeof import('@photostructure/sqlite');

/** The SQLite of the package, which has the interface of `node:sqlite`. A process uses one of them: the store in the same process would lose its locks. */
export const DatabaseSync = loadSqlite().DatabaseSync as unknown as Package['DatabaseSync'];
