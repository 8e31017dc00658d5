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

/** Registers tests on SQLite and on a server, each on new tables; in the long form on both servers. */
export function describeOnEngines(tests: Tests): void {
  describeOnFile(tests);
  describeOnAnyServer('on a server', () => tests(newOnServer));
}

/** Registers tests on SQLite and on one server, because the conformance suite tests the statements on both servers. */
export function describeOnFileAndServer(tests: Tests): void {
  describeOnFile(tests);
  describeOnOneServer('on a server', () => tests(newOnServer));
}

/** Registers tests on a server; on SQLite too in the long form or without a server. The chaos suite always tests faults on SQLite. */
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
