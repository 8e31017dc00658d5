import { describeOnMysql } from './describe-mysql';

/** Where writing what changed since the snapshot is an error (1020), in a database whose default character set cannot hold every name. `loose-`: a
 * server that does not know the option starts all the same. */
describeOnMysql({
  isolation: 'REPEATABLE READ',
  defaults: 'latin1',
  tables: 'ours',
  options: ['--loose-innodb-snapshot-isolation=ON'],
});
