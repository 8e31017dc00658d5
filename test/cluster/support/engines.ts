import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnServer, sharedServer } from '../../support/database/test-database';
import { memoryFolder } from '../../support/memory-folder.cjs';
import { mysqlTables, sqliteTables, type Tables } from './tables';

/** The same tests on SQLite and on a server, each on new tables. */
export function describeOnEngines(tests: (newTables: () => Promise<Tables>) => void): void {
  describe('on SQLite', () => {
    let folder: string;
    let count = 0;
    beforeAll(() => {
      folder = memoryFolder('quartz-proof-');
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    tests(async () => sqliteTables(join(folder, `${++count}.db`)));
  });
  describeOnServer('on a server', () => tests(async () => mysqlTables(await sharedServer())));
}
