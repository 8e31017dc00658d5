import { checkServer } from '../../../../src/store/sql/mysql/check-settings';

const SOUND = {
  version: '10.11.19-MariaDB',
  innodb_flush_log_at_trx_commit: '1',
  log_bin: 'ON',
  sync_binlog: '1',
  binlog_format: 'MIXED',
  read_only: 'OFF',
  max_connections: '151',
};
const check = (facts: Readonly<Record<string, string>>) => checkServer(new Map(Object.entries({ ...SOUND, ...facts })));

describe('the check of server settings', () => {
  it('accepts supported versions and sound settings', () => {
    expect(check({})).toEqual({ problems: [], warnings: [] });
    expect(check({ version: '8.0.19' })).toEqual({ problems: [], warnings: [] });
    expect(check({ version: '11.8.2-MariaDB-ubu2404' })).toEqual({ problems: [], warnings: [] });
    expect(check({ version: 'proxy' })).toEqual({ problems: [], warnings: [] });
  });

  it.each([
    ['5.7.44', 'MySQL 5.7.44 is too old. Use MySQL 8.0.19 or later.'],
    ['8.0.18-debug', 'MySQL 8.0.18-debug is too old'],
    ['10.6.21-MariaDB', 'MariaDB 10.6.21-MariaDB is too old. Use MariaDB 10.11.0 or later.'],
  ])('refuses version %s', (version, problem) => {
    expect(check({ version }).problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['statement-based binary logs', { binlog_format: 'STATEMENT' }, 'Set it to ROW or MIXED'],
  ])('refuses %s', (_name, facts, problem) => {
    expect(check(facts).problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [{ wsrep_on: 'ON', wsrep_cluster_size: '3' }, 'one of 3 Galera nodes'],
    [{ group_replication_group_name: 'a-b', group_replication_single_primary_mode: 'OFF' }, 'a replication group'],
  ])('warns of several writers unless they are configured: %j', (facts, warning) => {
    const found = check(facts);
    expect(found.problems).toEqual([]);
    expect(found.warnings).toEqual([expect.stringContaining(warning)]);
    expect(found.warnings[0]).toContain('all nodes must write to the same server');
    expect(checkServer(new Map(Object.entries({ ...SOUND, ...facts })), 'several').warnings).toEqual([]);
  });

  it('does not warn of a single Galera node, or of features that are switched off', () => {
    expect(check({ wsrep_on: 'ON', wsrep_cluster_size: '1' }).warnings).toEqual([]);
    expect(check({ wsrep_on: 'OFF', wsrep_cluster_size: '3' }).warnings).toEqual([]);
    expect(check({ group_replication_group_name: '', group_replication_single_primary_mode: 'OFF' }).warnings).toEqual(
      [],
    );
    expect(check({ log_bin: 'OFF', binlog_format: 'STATEMENT' }).problems).toEqual([]);
  });

  it('warns of commits that a power failure can undo', () => {
    expect(check({ innodb_flush_log_at_trx_commit: '2', sync_binlog: '0' }).warnings).toEqual([
      expect.stringContaining('set innodb_flush_log_at_trx_commit and sync_binlog to 1'),
    ]);
    expect(check({ log_bin: 'OFF', sync_binlog: '0' }).warnings).toEqual([]);
  });

  it('warns of a read-only server and of too few connections', () => {
    expect(check({ read_only: 'ON' }).warnings).toEqual([expect.stringContaining('read-only')]);
    expect(check({ max_connections: '10' }).warnings).toEqual([expect.stringContaining('raise max_connections')]);
  });
});
