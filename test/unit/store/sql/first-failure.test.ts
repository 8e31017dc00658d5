import { OpenTransaction, type StatementResult } from '../../../../src/store/sql/runtime/session';
import { SqlError, type SqlErrorKind } from '../../../../src/store/sql/runtime/sql-driver';
import { loadStatements, type Statement } from '../../../../src/store/sql/runtime/statements';

const STATEMENTS = loadStatements('mysql', { tablePrefix: 'QRTZ_' });

const failed = (kind: SqlErrorKind, { name }: Statement) =>
  new SqlError({ kind, databaseCode: '0', statement: name, message: kind });

/** A transaction with failing statements. The server answers statements that were sent together at the same time. */
function transactionWith(failures: Partial<Record<string, SqlErrorKind>>) {
  const execute = (statement: Statement): Promise<StatementResult> => {
    const kind = failures[statement.name];
    return kind === undefined ? Promise.resolve({ rows: [], changes: 0 }) : Promise.reject(failed(kind, statement));
  };
  return new OpenTransaction({ execute }, STATEMENTS, 's');
}

const rows = '[]';

describe('a transaction with statements sent together', () => {
  it('reports the first failed statement, even if the error of a later one arrives earlier', async () => {
    const tx = transactionWith({ deleteSimpleTriggers: 'deadlock', deleteFinishedTriggers: 'foreignKey' });
    const work = tx.perform(async () => {
      const deeper = async () => Promise.all([tx.run('deleteSimpleTriggers', { rows })]);
      await Promise.all([deeper(), tx.run('deleteFinishedTriggers', { rows })]);
    });
    await expect(work).rejects.toMatchObject({ kind: 'deadlock', statement: 'deleteSimpleTriggers' });
  });

  it('reports a deadlock even if the caller throws because of rows read after it', async () => {
    const tx = transactionWith({ deleteSimpleTriggers: 'deadlock' });
    const work = tx.perform(async () => {
      const deeper = async () => Promise.all([tx.run('deleteSimpleTriggers', { rows })]);
      const complete = async () => {
        const { changes } = await tx.run('deleteFirings', { rows, instanceId: 'a' });
        if (changes === 0) throw new Error('taken over');
      };
      await Promise.all([deeper(), complete()]);
    });
    await expect(work).rejects.toMatchObject({ kind: 'deadlock' });
  });

  it('reports the error of the caller if no statement failed or the transaction is still open', async () => {
    const own = new Error('own');
    await expect(transactionWith({}).perform(() => Promise.reject(own))).rejects.toBe(own);
    const tx = transactionWith({ insertJobs: 'duplicateKey' });
    const work = tx.perform(() => tx.run('insertJobs', { rows }).catch(() => Promise.reject(own)));
    await expect(work).rejects.toBe(own);
  });
});
