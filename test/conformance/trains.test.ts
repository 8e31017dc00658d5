import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** Nodes of a cluster, which read due triggers without the lock and fire them by trains. The short form plays their core, on MySQL with the tables of Java. */
for (const flavour of IS_LONG ? (['mariadb', 'mysql'] as const) : (['mariadb'] as const)) {
  const stage = {
    isolation: 'READ COMMITTED',
    defaults: 'utf8mb4',
    tables: 'ours',
    areas: IS_LONG ? 'all' : 'core',
  } as const;
  describeOnMysql({ ...stage, flavour, byTrains: true });
}
