import { printEvent } from '../../../src/cli/firing-lines';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { memoryOutput } from '../../support/memory-output';

type Fact = SchedulerEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at'> : never) : never;

function shown(fact: Fact) {
  const { output, stdout, stderr } = memoryOutput();
  printEvent({ at: 0, ...fact } as SchedulerEvent, output);
  return { stdout: stdout(), stderr: stderr() };
}

describe('the run command', () => {
  it.each<[Fact, string]>([
    [{ type: 'nodeJoined', instanceId: 'b' }, 'node b has joined'],
    [{ type: 'nodeLeft', instanceId: 'b' }, 'node b has left'],
    [{ type: 'nodeLeft', instanceId: 'b\u001b[2J\u009b1A' }, 'node b\ufffd[2J\ufffd1A has left'],
    [
      {
        type: 'rowUnreadable',
        row: { what: 'job', group: 'g', name: 'x', cause: 'a class of\u0007 its own', since: 0 },
        silenced: false,
      },
      'warning: the job g/x cannot be read by this node and is skipped: a class of\ufffd its own',
    ],
    [
      { type: 'clockUnsafe', instanceId: 'a', clockOffset: -4_000 },
      "error: this machine's clock is 4 s from the database's: because Java nodes share the tables, this node does not fire until the clock is corrected",
    ],
    [
      { type: 'clockSafe', instanceId: 'a', clockOffset: 0 },
      'clock skew is back within the limit; this node acquires triggers again',
    ],
    [{ type: 'nodeFailed', instanceId: 'b', lastCheckInTime: 0 }, 'warning: node b has failed: it stopped checking in'],
    [
      { type: 'nodeFenced', instanceId: 'a', reason: 'leaseExpired' },
      'error: node a was fenced (leaseExpired); its jobs are aborted',
    ],
    [
      {
        type: 'nodeRecovered',
        report: {
          instanceId: 'b',
          released: 3,
          recovered: [
            { group: 'g', name: 'x' },
            { group: 'g', name: 'y' },
          ],
          exhausted: [],
          lost: 1,
        },
      },
      'took over node b: released 3, recovered 2, not recovered 1',
    ],
  ])('prints a line for the cluster event %j', (fact, expected) => {
    expect(shown(fact)).toEqual({ stdout: '', stderr: `${expected}\n` });
  });

  it('prints the number of abandoned firings after a takeover', () => {
    const report = { instanceId: 'b', released: 0, recovered: [], exhausted: [{ group: 'g', name: 'x' }], lost: 0 };
    expect(shown({ type: 'nodeRecovered', report }).stderr).toMatch(/, abandoned 1\n$/);
  });
});
