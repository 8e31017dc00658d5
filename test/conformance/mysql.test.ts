import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** Nodes that no other may recover, and so decide everything under the lock. The short form leaves the core to nodes that fire by trains. */
for (const flavour of IS_LONG ? (['mariadb', 'mysql'] as const) : (['mariadb'] as const)) {
  const areas = IS_LONG ? 'all' : 'rest';
  describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas, flavour });
}
