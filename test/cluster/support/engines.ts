import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeOnOneServer, describeOnServer, sharedServer } from '../../support/database/test-database';
import { memoryFolder } from '../../support/memory-folder.cjs';
import { mysqlTables, sqliteTables, type Tables } from './tables';

type Tests = (newTables: () => Promise<Tables>) => void;

/** The same tests on SQLite and on both servers, each on new tables: what a server may answer differently. */
export function describeOnEngines(tests: Tests): void {
  describeOnFile(tests);
  describeOnServer('on a server', () => tests(newOnServer));
}

/** The same tests on SQLite and on one server: what nodes do, on statements that the conformance suite plays on both. */
export function describeOnFileAndServer(tests: Tests): void {
  describeOnFile(tests);
  describeOnOneServer('on a server', () => tests(newOnServer));
}

const newOnServer = async () => mysqlTables(await sharedServer());

function describeOnFile(tests: Tests): void {
  describe('on SQLite', () => {
    let folder: string;
    let count = 0;
    beforeAll(() => {
      folder = memoryFolder('quartz-proof-');
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    tests(async () => sqliteTables(join(folder, `${++count}.db`)));
  });
}
