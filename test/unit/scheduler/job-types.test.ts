import { ManualClock } from '../../../src/base/manual-clock';
import type { NodeJobTypes } from '../../../src/domain/job-types';
import { KnownJobTypes } from '../../../src/scheduler/job-types';
import { job } from '../../conformance/samples';

const jobsOf = (...types: readonly string[]) => types.map((jobType) => job('j', { jobType }));

function scene(nodes: readonly NodeJobTypes[] | null) {
  const clock = new ManualClock(0);
  let reads = 0;
  const readNodes = async () => {
    reads++;
    return nodes ?? [];
  };
  const known = new KnownJobTypes({
    own: () => ['mail'],
    readNodes: nodes === null ? null : readNodes,
    clock,
    isObserver: false,
  });
  return { known, clock, reads: () => reads };
}

describe('known job types', () => {
  it('include those registered on this node and those being registered', () => {
    const { known } = scene([]);
    expect(known.unregisteredOf(jobsOf('mail', 'new', 'other'), ['new']).map(({ jobType }) => jobType)).toEqual([
      'other',
    ]);
  });

  it('include those of other nodes, which are read at most once in 10 s', async () => {
    const { known, clock, reads } = scene([{ instanceId: 'b', isJava: false, jobTypes: ['report'] }]);
    for (let call = 0; call < 3; call++) await known.assertRunElsewhere(jobsOf('report'));
    expect(reads()).toBe(1);
    await clock.advanceBy(10_000);
    await known.assertRunElsewhere(jobsOf('report'));
    expect(reads()).toBe(2);
  });

  it('are read again before an unknown type is refused with the most similar known type', async () => {
    const { known, reads } = scene([{ instanceId: 'b', isJava: false, jobTypes: ['send-report'] }]);
    await known.assertRunElsewhere(jobsOf('send-report'));
    await expect(known.assertRunElsewhere(jobsOf('send-raport'))).rejects.toMatchObject({
      code: 'UNKNOWN_JOB_TYPE',
      message: expect.stringMatching(
        /'send-raport'.*not registered on this or any other node.*'send-report'.*registeredLater/,
      ),
    });
    await expect(known.assertRunElsewhere(jobsOf('mial'))).rejects.toThrow("Did you mean 'mail'?");
    expect(reads()).toBe(3);
  });

  it('are those of this process only if no other node shares the store', async () => {
    const { known } = scene(null);
    await expect(known.assertRunElsewhere(jobsOf('report'))).rejects.toThrow(
      'which is not registered in this process.',
    );
  });
});
