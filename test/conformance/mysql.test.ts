import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** The short form plays on MySQL only what Quartz's tables and the transactions between nodes decide: test/sql plays every statement on both. */
for (const flavour of ['mariadb', 'mysql'] as const) {
  const areas = IS_LONG || flavour === 'mariadb' ? 'all' : 'core';
  describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas, flavour });
}
