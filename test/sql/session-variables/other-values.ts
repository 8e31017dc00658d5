import type { Bystander } from '../../support/database/test-database';

/** A session variable and a value other than its default, as SQL. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`);

/** Values of variables that are neither numbers nor switches. A server refuses values that it does not know, and they are left out. */
const OF_TEXTS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^character_set_/, quoted(['latin1', 'cp932', 'utf8mb3', 'binary'])],
  [/^collation_/, quoted(['latin1_german2_ci', 'utf8mb4_bin', 'utf8mb4_unicode_ci', 'utf8mb4_0900_ai_ci'])],
  [/^time_zone$/, quoted(['+05:30', '-11:00'])],
  [
    /^sql_mode$/,
    quoted([
      '',
      'ANSI',
      'TRADITIONAL',
      'NO_BACKSLASH_ESCAPES',
      'PAD_CHAR_TO_FULL_LENGTH',
      'ORACLE',
      'EMPTY_STRING_IS_NULL',
    ]),
  ],
  [/^(transaction_isolation|tx_isolation)$/, quoted(['READ-UNCOMMITTED', 'READ-COMMITTED', 'SERIALIZABLE'])],
  [/storage_engine$/, quoted(['MyISAM', 'MEMORY'])],
  [/^lc_/, quoted(['de_DE'])],
  [/^binlog_format$/, quoted(['STATEMENT', 'ROW'])],
  [/./, quoted(['', 'ON', 'OFF', 'all', 'none', '0', '1', 'NULL'])],
];

/** Returns the variables that the user may set in a session, each with one other value, or with every other value if `all`. */
export async function otherSettings(connect: () => Promise<Bystander>, all: boolean): Promise<readonly Setting[]> {
  let connection = await connect();
  const variables = await connection.query<{ readonly Variable_name: string; readonly Value: string }>(
    'SHOW SESSION VARIABLES',
  );
  const found: Setting[] = [];
  for (const { Variable_name: name, Value: now } of variables)
    for (const value of valuesFor(name, now)) {
      const isSet = await connection.query(`SET SESSION ${name} = ${value}`).then(
        () => true,
        () => false,
      );
      if (!isSet) continue;
      const [read] = await connection.query<{ readonly value: unknown }>(`SELECT @@SESSION.${name} AS value`);
      await connection.close();
      connection = await connect(); // without the settings before
      if (String(read?.value) === now) continue;
      found.push({ name, value });
      if (!all) break;
    }
  await connection.close();
  return found;
}

function valuesFor(name: string, now: string): readonly string[] {
  if (now === 'ON' || now === 'OFF') return [now === 'ON' ? 'OFF' : 'ON'];
  if (/^\d+(\.\d+)?$/.test(now)) return ['0', '1', '1000000'];
  return OF_TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}
