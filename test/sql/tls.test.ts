import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { readMysqlUrl } from '../../src/store/sql/mysql/mysql-data-source';
import { MysqlSession } from '../../src/store/sql/mysql/mysql-session';
import { clock } from '../support/database/sql-fixture';
import { describeOnServer, type PrivateServer, startServer } from '../support/database/test-database';

const FILES = resolve(__dirname, '../support/database/tls');
const OUR_AUTHORITY = `sslCa=${join(FILES, 'authority.pem')}`;
const TIMEOUT_MS = 5_000;

/** Returns the TLS version of the connection to `host`, or '' if it is not encrypted. Rejects if the server is not trusted. */
async function encryptionOn(server: PrivateServer, host: string, query: string): Promise<string> {
  const { port, username, password } = new URL(server.url);
  const url = `mysql://${username}:${password}@${host}:${port}/information_schema?${query}`;
  const { settings } = readMysqlUrl({ name: 'test', url, user: null, password: null });
  const session = await MysqlSession.open(settings, clock, { answerTimeoutMs: TIMEOUT_MS });
  const { rows } = await session.query("SHOW SESSION STATUS LIKE 'Ssl_version'");
  await session.close();
  return (rows[0] as { Value: string }).Value;
}

const UNTRUSTED = { name: 'SqlError', databaseCode: 'HANDSHAKE_SSL_ERROR' };

describeOnServer.each([
  { certificate: 'name.pem', own: 'localhost', other: '127.0.0.1' },
  { certificate: 'address.pem', own: '127.0.0.1', other: 'localhost' },
])('a server whose certificate is for $own', ({ certificate, own, other }) => {
  let server: PrivateServer;

  beforeAll(async () => {
    const files = { ca: 'authority.pem', cert: certificate, key: 'server-key.pem' };
    server = await startServer(Object.entries(files).map(([option, file]) => `--ssl-${option}=${join(FILES, file)}`));
  });
  afterAll(() => server.stop());

  it('is trusted under that name if its authority is known', async () => {
    expect(await encryptionOn(server, own, OUR_AUTHORITY)).toMatch(/^TLSv1\.[23]$/);
    expect(await encryptionOn(server, own, `${OUR_AUTHORITY}&sslMode=VERIFY_IDENTITY`)).toMatch(/^TLS/);
  });

  it('is not trusted under another name, unless names are not verified', async () => {
    await expect(encryptionOn(server, other, OUR_AUTHORITY)).rejects.toMatchObject(UNTRUSTED);
    expect(await encryptionOn(server, other, `${OUR_AUTHORITY}&sslMode=VERIFY_CA`)).toMatch(/^TLS/);
  });

  it('is not trusted without its authority, unless verification is off', async () => {
    for (const mode of ['VERIFY_IDENTITY', 'VERIFY_CA'])
      await expect(encryptionOn(server, own, `sslMode=${mode}`)).rejects.toMatchObject(UNTRUSTED);
    expect(await encryptionOn(server, own, 'sslMode=REQUIRED')).toMatch(/^TLS/);
    expect(await encryptionOn(server, own, 'sslMode=DISABLED')).toBe('');
  });
});

/** Greeting of a server that supports everything but encryption. */
const GREETING_WITHOUT_TLS = Buffer.concat([
  Buffer.from([74, 0, 0, 0]), // bytes that follow
  Buffer.from('\n8.0.40\0'),
  Buffer.from([1, 0, 0, 0]), // the connection's number
  Buffer.from('12345678\0'), // first part of the salt for the password
  Buffer.from([0xff, 0xf7, 45, 2, 0, 0x08, 0, 21]), // capabilities but 0x0800, character set, status
  Buffer.alloc(10),
  Buffer.from('123456789012\0'),
  Buffer.from('mysql_native_password\0'),
]);

it('a server that cannot encrypt gets neither user nor password', async () => {
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the client closes it
    socket.on('data', (bytes) => heard.push(bytes)).write(GREETING_WITHOUT_TLS);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `mysql://user:s3cret@127.0.0.1:${port}/q?sslMode=REQUIRED`;
  const { settings } = readMysqlUrl({ name: 'test', url, user: null, password: null });
  await expect(MysqlSession.open(settings, clock, { answerTimeoutMs: TIMEOUT_MS })).rejects.toMatchObject({
    databaseCode: 'HANDSHAKE_NO_SSL_SUPPORT',
  });
  expect(heard).toEqual([]);
  server.close();
  await once(server, 'close');
});
