import { describeOnMysql } from './describe-mysql';

describeOnMysql({ isolation: 'READ COMMITTED', defaults: 'utf8mb4', tables: 'ours', areas: 'all' });
