import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** MariaDB, where writing a row that has changed since the snapshot is an error (1020), in a database whose default character set cannot
 * hold every name. */
describeOnMysql({
  isolation: 'REPEATABLE READ',
  defaults: 'latin1',
  tables: 'ours',
  areas: IS_LONG ? 'core' : 'transactions',
  flavour: 'mariadb',
  options: ['--innodb-snapshot-isolation=ON'],
});
