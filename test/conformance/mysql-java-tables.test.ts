import { IS_LONG } from '../support/long-forms';
import { describeOnMysql } from './describe-mysql';

/** On tables made by Java, with Java's indexes and a collation that ignores trailing blanks. The short form fires by trains, on MySQL. */
for (const flavour of IS_LONG ? (['mariadb', 'mysql'] as const) : (['mysql'] as const))
  describeOnMysql({
    isolation: 'REPEATABLE READ',
    defaults: 'utf8mb4 COLLATE utf8mb4_bin',
    tables: 'of Java',
    areas: 'core',
    flavour,
    ...(!IS_LONG && { byTrains: true }),
  });
