import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { FaultyLink } from './world/faulty-link';

/** Packets that drivers send. For MySQL, the number of query attributes precedes the text. */
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

  /** Sends a packet. Returns the response, or `lost` if the connection ends. */
  async function answerTo(packet: string): Promise<string> {
    const socket = connect(link.port, '127.0.0.1').on('error', () => undefined);
    socket.write(packet, 'latin1');
    const answer = await Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => 'lost')]);
    socket.destroy();
    return answer;
  }

  it.each(Object.entries(COMMITS))('loses a commit of %s', async (_server, packet) => {
    const before = link.cuts;
    expect(await answerTo(packet)).toBe('lost');
    expect(link.cuts).toBe(before + 1);
  });

  it('forwards other packets', async () => {
    expect(await answerTo('\u0003SELECT')).toBe('\u0003SELECT');
  });
});
