import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { FaultyLink } from './world/faulty-link';

/** As drivers send it to MariaDB, and to MySQL, which is told first that no attributes of the query follow. */
const COMMITS = { MariaDB: '\u0007\0\0\0\u0003COMMIT', MySQL: '\u0009\0\0\0\u0003\0\u0001COMMIT' };

describe('a link that loses commits', () => {
  let server: Server;
  let link: FaultyLink;
  beforeAll(async () => {
    server = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    link = await FaultyLink.to((server.address() as AddressInfo).port, () => 0);
    link.state.commits = { share: 1, how: 'before' };
  });
  afterAll(() => {
    link.close();
    server.close();
  });

  /** Returns the bytes that come back, and that the connection has ended. */
  async function answerTo(packet: string): Promise<string> {
    const socket = connect(link.port, '127.0.0.1').on('error', () => undefined);
    socket.write(packet, 'latin1');
    const answer = await Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => 'lost')]);
    socket.destroy();
    return answer;
  }

  it.each(Object.entries(COMMITS))('knows one of %s', async (_server, packet) => {
    const before = link.cuts;
    expect(await answerTo(packet)).toBe('lost');
    expect(link.cuts).toBe(before + 1);
  });

  it('passes everything else', async () => {
    expect(await answerTo('\u0003SELECT')).toBe('\u0003SELECT');
  });
});
