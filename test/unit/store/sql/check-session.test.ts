import { checkSession } from '../../../../src/store/sql/mysql/check-settings';

const WRITER = {
  tx_isolation: 'READ-COMMITTED',
  autocommit: 'OFF',
  wait_timeout: '60',
  idle_transaction_timeout: '2',
};
const READER = { transaction_isolation: 'REPEATABLE-READ', autocommit: 'ON', wait_timeout: '60' };
const facts = (values: Readonly<Record<string, string>>) => new Map(Object.entries(values));

describe('the check of a database session', () => {
  it('warns the scheduler connection if its server has joined a multi-writer cluster', () => {
    const galera = { wsrep_on: 'ON', wsrep_cluster_size: '3' };
    const group = { group_replication_group_name: 'a-b', group_replication_single_primary_mode: 'OFF' };
    const warningsOf = (role: 'scheduler' | 'completions', values: Record<string, string>) =>
      checkSession(role, facts({ ...WRITER, ...values })).warnings;
    expect(warningsOf('scheduler', galera)).toEqual([expect.stringContaining('one of 3 Galera nodes')]);
    expect(warningsOf('scheduler', group)).toEqual([expect.stringContaining('a replication group')]);
    expect(warningsOf('scheduler', { ...galera, wsrep_cluster_size: '1' })).toEqual([]);
    expect(warningsOf('completions', galera)).toEqual([]);
  });

  it('accepts a session with the expected settings', () => {
    const fine = { problem: null, warnings: [] };
    for (const role of ['scheduler', 'completions', 'checkIn'] as const)
      expect(checkSession(role, facts(WRITER))).toEqual(fine);
    expect(checkSession('scheduler', facts({ ...WRITER, idle_transaction_timeout: '0', wait_timeout: '2' }))).toEqual(
      fine,
    );
    expect(checkSession('read', facts(READER))).toEqual(fine);
    expect(
      checkSession('scheduler', facts({ ...WRITER, tx_isolation: 'REPEATABLE-READ' }), {
        isolation: 'REPEATABLE READ',
      }),
    ).toEqual(fine);
  });

  it('warns of a different isolation level without refusing the session', () => {
    const { problem, warnings } = checkSession('scheduler', facts({ ...WRITER, tx_isolation: 'REPEATABLE-READ' }));
    expect(problem).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(
        /at REPEATABLE READ although READ COMMITTED was set\. Check whether a proxy drops session settings/,
      ),
    ]);
    const { tx_isolation: _, ...hidden } = WRITER;
    expect(checkSession('scheduler', facts(hidden)).warnings).toEqual([expect.stringContaining('at unknown although')]);
  });

  it('warns if locks of a hanging node would not be released in time', () => {
    const { problem, warnings } = checkSession('checkIn', facts({ ...WRITER, idle_transaction_timeout: '0' }));
    expect(problem).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('for longer than 3 s')]);
    expect(checkSession('read', facts(READER)).warnings).toEqual([]); // read sessions hold no locks
  });

  it.each([
    ['scheduler', { ...WRITER, autocommit: 'ON' }],
    ['read', { ...READER, autocommit: 'OFF' }],
  ] as const)('refuses a session with the wrong autocommit mode: %s', (role, values) => {
    expect(checkSession(role, facts(values)).problem?.message).toContain('autocommit could not be set');
  });
});
