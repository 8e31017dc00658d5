import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** Nodes that no other node may recover, so that they decide everything under the lock. In the short form, other files cover the core. */
for (const flavour of IS_LONG ? (['mariadb', 'mysql'] as const) : (['mariadb'] as const)) {
  const areas = IS_LONG ? 'all' : 'rest';
  describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas, flavour });
}
