import { z } from 'zod';
import { DATABASE_KINDS, DATABASE_URL_FORMS, type DatabaseName } from '../base/database-kinds';
import { problemOfUrl } from '../base/database-url';
import { DEFAULT_SQL } from './default-config';
import { text, urlLike, wholeNumber } from './schema-values';

/** Connections that a store uses at the same time: firing, completing, check-ins, two for wake-ups, reads. */
export const MIN_CONNECTIONS = 6;

export const dataSourceSchema = z.strictObject({
  URL: urlLike(problemOfUrl, `${DATABASE_URL_FORMS} (optionally with the prefix jdbc:)`).describe(
    '`mysql://host:port/database`, `mariadb://…` or `sqlite:file`. A prefix `jdbc:` is ignored.',
  ),
  user: text(250).optional().describe('User name of the login.'),
  password: z
    .string()
    .max(4_096)
    .optional()
    .describe('Messages never contain the password. Set it with an environment variable.'),
  passwordFile: text(4_096)
    .optional()
    .describe(
      'File that contains the password, instead of `password`. Read again for each new connection, so a changed password needs no restart. Relative to the working directory.',
    ),
  maxConnections: wholeNumber(1, 1_000)
    .default(DEFAULT_SQL.maxConnections)
    .describe(
      'Maximum number of connections of the store: one each for firing triggers, completing runs and check-ins, two for wake-ups, the others for reads. ' +
        `A number below ${MIN_CONNECTIONS} counts as ${MIN_CONNECTIONS}. Each is opened on first use. Transactions of jobs may open as many again, so a node ` +
        'has at most twice this number. SQLite always uses two.',
    ),
});

/** Warns about a server's data source whose number of connections is raised. */
export function fewConnectionsWarning(
  kind: DatabaseName,
  written: z.output<typeof dataSourceSchema> | undefined,
  name: string,
): readonly string[] {
  const { maxConnections = MIN_CONNECTIONS } = written ?? {};
  if (maxConnections >= MIN_CONNECTIONS || DATABASE_KINDS[kind].isFile) return [];
  return [
    `dataSource.${name}.maxConnections is ${maxConnections}: ${MIN_CONNECTIONS} is used, the smallest number that works.`,
  ];
}
