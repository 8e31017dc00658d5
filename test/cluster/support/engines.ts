import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  describeOnAnyServer,
  describeOnOneServer,
  isServerSkipped,
  sharedServer,
} from '../../support/database/test-database';
import { IS_LONG } from '../../support/long-forms';
import { memoryFolder } from '../../support/memory-folder.cjs';
import { IS_ALONE } from './chaos-settings';
import { mysqlTables, sqliteTables, type Tables } from './tables';

type Tests = (newTables: () => Promise<Tables>) => void;

/** The same tests on SQLite and on a server, each on new tables; in the long form on both servers. */
export function describeOnEngines(tests: Tests): void {
  describeOnFile(tests);
  describeOnAnyServer('on a server', () => tests(newOnServer));
}

/** The same tests on SQLite and on one server: what nodes do, on statements that the conformance suite plays on both. */
export function describeOnFileAndServer(tests: Tests): void {
  describeOnFile(tests);
  describeOnOneServer('on a server', () => tests(newOnServer));
}

/** The same tests on a server; on SQLite too in the long form, or where there is no server. On SQLite the chaos kills and stops nodes with every change. */
export function describeOnServerFirst(tests: Tests): void {
  if (IS_ALONE || IS_LONG || isServerSkipped) describeOnFile(tests);
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
