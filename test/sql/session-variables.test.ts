import { createConnection } from 'mysql2/promise';
import {
  type Bystander,
  createDatabase,
  describeOnServer,
  type PrivateServer,
  startServer,
  type TestDatabase,
} from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { otherSettings, type Setting } from './session-variables/other-values';
import { probe } from './session-variables/probe';

/**
 * Limits of memory and disk, below which a server refuses a statement with an error. `require_row_format` lets only replication write.
 * A `timestamp` stops the clock of the session.
 */
const EXCLUDED: ReadonlySet<string> = new Set([
  'max_session_mem_used',
  'sort_buffer_size',
  'tmp_disk_table_size',
  'require_row_format',
  'timestamp',
]);

const LATE_MS = 20_000;

describeOnServer('session variables that an administrator sets for every session', () => {
  let server: PrivateServer;
  let database: TestDatabase;
  let userUrl: URL;

  beforeAll(async () => {
    server = await startServer();
    database = await createDatabase(server);
    await database.query("CREATE USER 'walker'@'%' IDENTIFIED BY 'walker'"); // init_connect is not for administrators
    await database.query(`GRANT ALL ON ${database.name}.* TO 'walker'@'%'`);
    userUrl = new URL(database.url);
    userUrl.username = 'walker';
    userUrl.password = 'walker';
  });

  afterAll(() => server.stop());

  const connect = async (): Promise<Bystander> => {
    const connection = await createConnection(userUrl.href);
    return {
      query: async <Row>(text: string) => (await connection.query(text))[0] as Row[],
      close: () => connection.end(),
    };
  };

  /** Describes how the result of the probe under these settings differs from the expected one. Null if it does not. */
  async function differenceUnder(settings: readonly Setting[], expected: unknown): Promise<string | null> {
    const list = settings.map(({ name, value }) => `${name} = ${value}`).join(', ');
    await database.query(`SET GLOBAL init_connect = "SET SESSION ${list}"`);
    const found = await probe(userUrl.href, LATE_MS).then(JSON.stringify, String);
    return found === JSON.stringify(expected) ? null : `${found} instead of ${JSON.stringify(expected)}`;
  }

  /** Returns the settings that change the result of the probe, found by halving. */
  async function culpritsOf(settings: readonly Setting[], expected: unknown): Promise<readonly string[]> {
    const difference = await differenceUnder(settings, expected);
    if (difference === null) return [];
    const texts = settings.map(({ name, value }) => `${name} = ${value}`);
    if (settings.length === 1) return [`${texts}: ${difference}`];
    const half = settings.length >> 1;
    const first = await culpritsOf(settings.slice(0, half), expected);
    const found = [...first, ...(await culpritsOf(settings.slice(half), expected))];
    const excludeEachOther = difference.includes('init_connect command failed');
    return found.length > 0 || excludeEachOther ? found : [`${texts} together: ${difference}`];
  }

  it(
    'do not change the results of a scheduler',
    async () => {
      const expected = await probe(database.url, LATE_MS);
      const settings = (await otherSettings(connect, IS_LONG)).filter(({ name }) => !EXCLUDED.has(name));
      expect(settings.length).toBeGreaterThan(100);
      const culprits: string[] = [];
      for (const round of roundsOf(settings)) culprits.push(...(await culpritsOf(round, expected)));
      expect(culprits).toEqual([]);
    },
    IS_LONG ? 1_800_000 : 120_000,
  );
});

/** Divides settings so that each round sets a variable once. */
function roundsOf(settings: readonly Setting[]): readonly (readonly Setting[])[] {
  const rounds: Setting[][] = [];
  const counts = new Map<string, number>();
  for (const setting of settings) {
    const index = counts.get(setting.name) ?? 0;
    counts.set(setting.name, index + 1);
    rounds[index] = [...(rounds[index] ?? []), setting];
  }
  return rounds;
}
