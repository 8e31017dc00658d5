import { type NativeCalls, nativeCallsOfThread } from '../../../base/native-calls';
import { closedError } from '../runtime/session';
import type { SqliteDatabase, SqliteModule, SqliteStatement } from './sqlite-module';

/** Opens a file. In a thread that another one may end, guards each call, so that the thread is not ended within it (`base/native-calls`). */
export function openSqlite({ DatabaseSync }: SqliteModule, path: string): SqliteDatabase {
  const calls = nativeCallsOfThread();
  return calls === null ? new DatabaseSync(path) : guarded(() => new DatabaseSync(path), calls);
}

/** Wraps a connection. Once calls are refused, each call fails as on a closed store. */
function guarded(open: () => SqliteDatabase, calls: NativeCalls): SqliteDatabase {
  const guard = <T>(call: () => T): T => {
    if (!calls.begin()) throw closedError();
    try {
      return call();
    } finally {
      calls.end();
    }
  };
  const guardedStatement = (statement: SqliteStatement): SqliteStatement => ({
    all: (...values) => guard(() => statement.all(...values)),
    run: (...values) => guard(() => statement.run(...values)),
    setReadBigInts: (isOn) => guard(() => statement.setReadBigInts(isOn)),
    *iterate(...values) {
      const rows = guard(() => statement.iterate(...values)[Symbol.iterator]());
      const read = () => rows.next();
      for (let row = guard(read); !row.done; row = guard(read)) yield row.value;
    },
  });
  const database = guard(open);
  return {
    prepare: (text) => guardedStatement(guard(() => database.prepare(text))),
    exec: (text) => guard(() => database.exec(text)),
    close: () => guard(() => database.close()),
  };
}
