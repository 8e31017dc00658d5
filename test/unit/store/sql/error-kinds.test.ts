import { classifyMysqlError, toMysqlSqlError } from '../../../../src/store/sql/mysql/mysql-errors';
import {
  attemptsAllowed,
  lostCommit,
  MissingLockRow,
  StaleRead,
  toStoreFailure,
} from '../../../../src/store/sql/runtime/retry-rules';
import { SqlError, type SqlErrorKind, UnknownCommitError } from '../../../../src/store/sql/runtime/sql-driver';
import { classifySqliteError, toSqliteSqlError } from '../../../../src/store/sql/sqlite/sqlite-errors';
import { loadSqlite, withoutItsWarning } from '../../../../src/store/sql/sqlite/sqlite-module';

const sqlError = (kind: SqlErrorKind) => new SqlError({ kind, databaseCode: '0', statement: null, message: 'failed' });

describe('errors of MySQL and MariaDB', () => {
  it.each<[unknown, SqlErrorKind]>([
    [{ errno: 1213, code: 'ER_LOCK_DEADLOCK' }, 'deadlock'],
    [{ errno: 1020, code: 'ER_CHECKREAD' }, 'deadlock'],
    [{ errno: 1205, code: 'ER_LOCK_WAIT_TIMEOUT' }, 'lockTimeout'],
    [{ errno: 3572 }, 'lockTimeout'],
    [{ errno: 1062, code: 'ER_DUP_ENTRY' }, 'duplicateKey'],
    [{ errno: 1452, code: 'ER_NO_REFERENCED_ROW_2' }, 'foreignKey'],
    [{ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }, 'connectionLost'],
    [{ code: 'ECONNRESET', errno: -104, fatal: true }, 'connectionLost'],
    [{ code: 'ECONNREFUSED', errno: -111 }, 'connectionLost'],
    [{ errno: 4031, code: 'ER_CLIENT_INTERACTION_TIMEOUT' }, 'connectionLost'],
    [{ message: "Can't add new command when connection is in closed state", fatal: true }, 'connectionLost'],
    [{ message: "Can't add new command when connection is in closed state" }, 'connectionLost'],
    [{ errno: 1290 }, 'readOnly'],
    [{ errno: 1047 }, 'readOnly'],
    [{ errno: 1114 }, 'full'],
    [{ errno: 1040, code: 'ER_CON_COUNT_ERROR', fatal: true }, 'connectionLimit'],
    [{ errno: 1317 }, 'interrupted'],
    [{ errno: 1146, code: 'ER_NO_SUCH_TABLE' }, 'schema'],
    [{ errno: 1045, code: 'ER_ACCESS_DENIED_ERROR', fatal: true }, 'schema'],
    [{ code: 'HANDSHAKE_NO_SSL_SUPPORT', fatal: true }, 'schema'],
    [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT', fatal: true }, 'schema'],
    [{ errno: 1406, code: 'ER_DATA_TOO_LONG' }, 'refused'],
    [{ errno: 1644, code: 'ER_SIGNAL_EXCEPTION', sqlState: '45000' }, 'refused'],
    [{ errno: 4025, code: 'ER_CONSTRAINT_FAILED', sqlState: '23000' }, 'refused'],
    [{ errno: 9999, sqlState: '22003' }, 'refused'],
    [{ errno: 1461, code: 'ER_MAX_PREPARED_STMT_COUNT_REACHED', sqlState: '42000' }, 'connectionLimit'],
    [{ errno: 1135, code: 'ER_CANT_CREATE_THREAD', sqlState: 'HY000' }, 'connectionLimit'],
    [{ errno: 1158, sqlState: '08S01' }, 'connectionLost'],
    [{ errno: 1184, code: 'ER_NEW_ABORTING_CONNECTION', sqlState: '08S01' }, 'connectionLost'],
    [{ errno: 3169, code: 'ER_SESSION_WAS_KILLED', sqlState: 'HY000' }, 'connectionLost'],
    [{ errno: 3032, code: 'ER_SERVER_OFFLINE_MODE', sqlState: 'HY000' }, 'connectionLost'],
    [{ errno: 1030, code: 'ER_GET_ERRNO', sqlState: 'HY000' }, 'other'],
    [{ errno: 1041, code: 'ER_OUT_OF_RESOURCES', sqlState: 'HY000' }, 'other'],
    [{ errno: 1206, code: 'ER_LOCK_TABLE_FULL', sqlState: 'HY000' }, 'other'],
    [null, 'other'],
    ['text', 'other'],
  ])('are classified: %j is %s', (error, kind) => {
    expect(classifyMysqlError(error)).toBe(kind);
  });

  it.each([
    [{ errno: 1213, code: 'ER_LOCK_DEADLOCK' }, true],
    [{ errno: 4031, code: 'ER_CLIENT_INTERACTION_TIMEOUT' }, true],
    [{ errno: 1053, code: 'ER_SERVER_SHUTDOWN' }, false],
    [{ code: 'ECONNRESET', fatal: true }, false],
  ])('at a COMMIT may prove that nothing was stored: %j, %p', (error, isKnown) => {
    expect(toMysqlSqlError(error, null).isRolledBack).toBe(isKnown);
  });

  it('do not reveal the text or values of their statement', () => {
    const raw = Object.assign(new Error('Duplicate entry'), {
      errno: 1062,
      code: 'ER_DUP_ENTRY',
      sql: "INSERT 'secret'",
    });
    const error = toMysqlSqlError(raw, 'insertLocks');
    expect(error).toMatchObject({ kind: 'duplicateKey', databaseCode: 'ER_DUP_ENTRY 1062', statement: 'insertLocks' });
    expect(error.message).toBe('insertLocks: Duplicate entry (ER_DUP_ENTRY 1062)');
    expect(`${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain('secret');
    expect(toMysqlSqlError(error, null)).toBe(error);
    expect(toMysqlSqlError({ message: 'x'.repeat(10_000) }, null).message.length).toBeLessThan(400);
    expect(toMysqlSqlError(undefined, null).message).toBe('The database: failed without a message (no code)');
  });
});

describe('errors of SQLite', () => {
  it.each<[number, SqlErrorKind]>([
    [5, 'busy'],
    [261, 'busy'],
    [517, 'busy'],
    [2067, 'duplicateKey'],
    [1555, 'duplicateKey'],
    [787, 'foreignKey'],
    [13, 'full'],
    [8, 'readOnly'],
    [10, 'connectionLost'],
    [778, 'connectionLost'], // I/O error while writing
    [1, 'schema'],
    [19, 'refused'],
    [1811, 'refused'],
    [18, 'refused'],
    [2, 'other'],
  ])('are classified: %d is %s', (errcode, kind) => {
    expect(classifySqliteError({ errcode })).toBe(kind);
    expect(toSqliteSqlError({ errcode, message: 'm' }, null, '/srv/q.db')).toMatchObject({
      kind,
      databaseCode: `SQLite ${errcode}`,
    });
  });

  it('without an error code are classified as other', () => {
    expect(classifySqliteError(new TypeError('x'))).toBe('other');
    expect(classifySqliteError(null)).toBe('other');
  });
});

describe('the SQLite module', () => {
  it('is built into Node 22.13 and later, and loaded from a package before', () => {
    const moduleOf = (version: string) => {
      let requested = '';
      loadSqlite(version, (name) => {
        requested = name;
        return { DatabaseSync: Object };
      });
      return requested;
    };
    for (const version of ['20.19.0', '21.7.3', '22.12.0', '23.3.0'])
      expect([version, moduleOf(version)]).toEqual([version, '@photostructure/sqlite']);
    for (const version of ['22.13.0', '22.23.3', '23.4.0', '24.0.0', '26.1.0'])
      expect([version, moduleOf(version)]).toEqual([version, 'node:sqlite']);
  });

  it('causes an error with the command to install it if it is missing', () => {
    const missing = () => {
      throw new Error("Cannot find module '@photostructure/sqlite'");
    };
    expect(() => loadSqlite('20.19.0', missing)).toThrow(
      'on Node 20.19.0, found none. Run: npm install @photostructure/sqlite@~1.2.1 (or use Node 22.13 or later).',
    );
    const unbuilt = () => {
      throw new Error('No native build was found for platform=linux arch=riscv64\n  loaded from: …');
    };
    expect(() => loadSqlite('20.19.0', unbuilt)).toThrow(
      'cannot be loaded: No native build was found for platform=linux arch=riscv64. Run: npm rebuild @photostructure/sqlite (or',
    );
    for (const load of [missing, () => undefined])
      expect(() => loadSqlite('24.0.0', load)).toThrow(
        'module node:sqlite of Node 24.0.0, found none. Use an official',
      );
  });

  it('is loaded without the warning that it is experimental, and without hiding another one', () => {
    const printed: string[] = [];
    const { emitWarning } = process;
    process.emitWarning = (warning: string | Error) => void printed.push(String(warning));
    try {
      const loaded = withoutItsWarning(() => {
        process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
        process.emitWarning('Another feature is an experimental feature', 'ExperimentalWarning');
        process.emitWarning('SQLite is an experimental feature', 'DeprecationWarning');
        return 'loaded';
      });
      process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
      expect(loaded).toBe('loaded');
    } finally {
      process.emitWarning = emitWarning;
    }
    expect(printed).toEqual([
      'Another feature is an experimental feature',
      'SQLite is an experimental feature',
      'SQLite is an experimental feature',
    ]);
  });
});

describe('a failed transaction', () => {
  it('is tried again as often as another attempt can succeed', () => {
    expect(attemptsAllowed(sqlError('deadlock'))).toBe(5);
    expect(attemptsAllowed(new StaleRead('selectLock'))).toBe(5);
    expect(attemptsAllowed(new MissingLockRow('TRIGGER_ACCESS'))).toBe(5);
    expect(attemptsAllowed(lostCommit())).toBe(5);
    expect(attemptsAllowed(sqlError('lockTimeout'))).toBe(3);
    expect(attemptsAllowed(sqlError('duplicateKey'))).toBe(1);
    expect(attemptsAllowed(new UnknownCommitError(null))).toBe(1);
    expect(attemptsAllowed(new Error('of the work'))).toBe(1);
  });

  it('can have fewer attempts after conflicts, but not after a lost connection', () => {
    expect(attemptsAllowed(sqlError('deadlock'), { attempts: 1 })).toBe(1);
    expect(attemptsAllowed(new StaleRead('selectLock'), { attempts: 1 })).toBe(1);
    expect(attemptsAllowed(sqlError('connectionLost'), { attempts: 1 })).toBe(5);
  });

  it('is tried twice before its batch is split, unless no row can be the cause', () => {
    expect(attemptsAllowed(new StaleRead('selectLock'), { isSplit: true })).toBe(2);
    expect(attemptsAllowed(sqlError('refused'), { isSplit: true })).toBe(2);
    expect(attemptsAllowed(sqlError('foreignKey'), { isSplit: true })).toBe(2);
    expect(attemptsAllowed(sqlError('deadlock'), { isSplit: true })).toBe(5);
    expect(attemptsAllowed(sqlError('connectionLost'), { isSplit: true })).toBe(5);
  });

  it('fails with an error that explains how to fix the problem', () => {
    const ofMysql = (code: string, errno?: number) => toStoreFailure(toMysqlSqlError({ code, errno }, null));
    expect(ofMysql('ER_NO_SUCH_TABLE', 1146)).toMatchObject({
      code: 'STORE_FAILURE',
      message: expect.stringContaining('quartz migrate --print'),
    });
    expect(ofMysql('HANDSHAKE_SSL_ERROR').message).toContain('sslCa in the URL');
    expect(ofMysql('HANDSHAKE_NO_SSL_SUPPORT').message).toContain('sslMode=DISABLED');
    expect(ofMysql('ER_ACCESS_DENIED_ERROR', 1045).message).toContain('Check the user and the password.');
    expect(ofMysql('ER_BAD_DB_ERROR', 1049).message).toContain('Create the database');
    expect(ofMysql('ER_RECORD_FILE_FULL', 1114).message).toContain('Free disk space on the database server');
    expect(ofMysql('ER_CON_COUNT_ERROR', 1040).message).toContain('max_connections');
    expect(ofMysql('ER_MAX_PREPARED_STMT_COUNT_REACHED', 1461).message).toContain('max_prepared_stmt_count');
    expect(ofMysql('ER_OPTION_PREVENTS_STATEMENT', 1290).message).toContain('accepts writes');
    const ofSqlite = (errcode: number) => toStoreFailure(toSqliteSqlError({ errcode }, null, '/srv/q.db')).message;
    expect(ofSqlite(1)).toContain('permissions of the database file');
    expect(ofSqlite(8)).toContain('Give this process write permission');
    expect(ofSqlite(13)).toContain('disk of the database file');
    for (const code of [1, 5, 8, 10, 13, 14, 26])
      expect(ofSqlite(code)).toMatch(/, file .*[\\/]srv[\\/]q\.db \(SQLite \d+\)/);
    expect(ofSqlite(14)).toContain('Check that the path names a database file');
    const own = new RangeError('mine');
    expect(toStoreFailure(own)).toBe(own);
  });
});
