import type { DatabaseOptions, DatabaseTarget, SchemaOptions, SqlEngine } from '../engine/engine';
import type { Statements } from '../runtime/statements';
import type { SchemaConnection } from '../schema/schema-connection';
import { isolationOf } from './check-settings';
import { MysqlCaller } from './mysql-caller';
import { type ConnectionOptions, connectForJobs, MysqlSchemaConnection } from './mysql-connections';
import { readMysqlUrl } from './mysql-data-source';
import { MysqlDriver } from './mysql-driver';
import { serverFacts, serverFaults, sessionFaults } from './server-faults';

export const MYSQL: SqlEngine = {
  async openSchema(options) {
    const { settings, warnings } = settingsOf(options);
    for (const warning of warnings) options.onWarning(warning);
    return MysqlSchemaConnection.open(settings, options.tablePrefix, options.clock);
  },
  targetOf,
  examination: {
    types: {
      families: [
        ['SMALLINT', 'MEDIUMINT', 'INT', 'BIGINT'],
        ['VARCHAR', 'TEXT', 'MEDIUMTEXT', 'LONGTEXT'],
        ['BLOB', 'MEDIUMBLOB', 'LONGBLOB'],
      ],
      synonyms: { BOOLEAN: 'TINYINT', INTEGER: 'INT', NUMERIC: 'DECIMAL' },
    },
    serverFaults,
    serverFacts,
    connectionFaults: sessionFaults,
    connectionFacts: () => [],
    isolationOf: (settings) => (settings.has('autocommit') ? isolationOf(settings) : null),
  },
};

function targetOf(connection: SchemaConnection, options: DatabaseOptions, statements: Statements): DatabaseTarget {
  const { maxConnections } = options.dataSource;
  const flavour = connection instanceof MysqlSchemaConnection ? connection.flavour : 'mysql';
  const connect: ConnectionOptions = { ...options, settings: settingsOf(options).settings, flavour };
  return {
    statements,
    openDriver: () => new MysqlDriver(connect, statements, maxConnections),
    callerOf: (given) => new MysqlCaller(given),
    openForJobs: () => connectForJobs(connect),
    maxJobConnections: maxConnections,
    losesCommits: true,
    hasSeveralWriters: options.writers === 'several',
  };
}

function settingsOf({ dataSource, access }: Pick<SchemaOptions, 'dataSource' | 'access'>) {
  const { settings, warnings } = readMysqlUrl(dataSource);
  return { settings: access === undefined ? settings : { ...settings, access }, warnings };
}
