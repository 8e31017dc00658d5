import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** The short form plays MySQL on the tables of Java only, what they and the transactions between nodes decide: test/sql plays every statement on both. */
for (const flavour of IS_LONG ? (['mariadb', 'mysql'] as const) : (['mariadb'] as const))
  describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas: 'all', flavour });
