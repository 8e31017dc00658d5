import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** The short form plays on MariaDB only what Quartz's tables and the transactions between nodes decide: test/sql plays every statement on both. */
for (const flavour of ['mysql', 'mariadb'] as const) {
  const areas = IS_LONG || flavour === 'mysql' ? 'all' : 'core';
  describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas, flavour });
}
