import { PassThrough } from 'node:stream';
import { createConnection } from 'mysql2';
import { Pipeline } from '../../../../src/store/sql/mysql/pipeline';

/** Undocumented members of mysql2 that `mysql/pipeline.ts` uses. An update that changes them must fail here. */
describe('private members of mysql2 that the pipeline uses', () => {
  const open = () => {
    const connection = createConnection({ stream: () => new PassThrough() as never, connectTimeout: 0 });
    connection.on('error', () => undefined);
    return connection as unknown as Record<string, unknown> & typeof connection;
  };

  it('are methods to queue commands and handle packets, and the number of the next packet', () => {
    const connection = open();
    expect(connection.addCommand).toEqual(expect.any(Function));
    expect(connection.handlePacket).toEqual(expect.any(Function));
    expect(connection.sequenceId).toEqual(expect.any(Number));
    connection.destroy();
  });

  it.each([
    ['a text', (connection: ReturnType<typeof open>) => connection.query('SELECT 1', () => undefined)],
    ['a prepared statement', (connection: ReturnType<typeof open>) => connection.prepare('SELECT 1', () => undefined)],
  ])('queue %s as a command that receives packets and a last error', (_, send) => {
    const connection = open();
    const queued: Record<string, unknown>[] = [];
    connection.addCommand = (command: Record<string, unknown>) => {
      queued.push(command);
      return command;
    };
    send(connection);
    expect(queued).toHaveLength(1);
    expect(queued[0]?.onResult).toEqual(expect.any(Function));
    expect(queued[0]?.execute).toEqual(expect.any(Function));
    connection.destroy();
  });

  it('are replaced on the connection object itself', () => {
    const connection = open();
    const before = connection.addCommand;
    new Pipeline(connection);
    expect(connection.addCommand).not.toBe(before);
    connection.destroy();
  });
});
