import { jobKey, triggerKey } from '../../../src/domain/keys';
import { type Interrupt, interruptEverywhere } from '../../../src/scheduler/interrupts';
import type { FiringRecord } from '../../../src/store/cluster-store';

const INTERRUPTS: readonly Interrupt[] = [
  { type: 'interruptRun', runId: 'a.1' },
  { type: 'interruptJob', jobKey: jobKey('long') },
];

const firing = (runId: string): FiringRecord => ({
  runId,
  instanceId: runId.split('.')[0] as string,
  triggerKey: triggerKey('t'),
  jobKey: jobKey('long'),
  fireTime: 0,
  scheduledFireTime: 0,
  progress: null,
  recovering: false,
  interruption: null,
});

/** Node `a`, whose run begins when the store lists the executing firings, or when the engine waits for firings to begin. */
function nodeWith(fired: readonly FiringRecord[], begins: 'whenListed' | 'whenAwaited' | 'never') {
  const asked: string[][] = [];
  let hasBegun = false;
  const interrupt = () => hasBegun;
  const parts = {
    config: { instanceId: 'a' },
    engine: {
      interruptJob: interrupt,
      interruptRun: interrupt,
      getCurrentlyExecutingJobs: () => (hasBegun ? [{ runId: 'a.1' }] : []),
      async whenStarted() {
        hasBegun ||= begins === 'whenAwaited';
        return true;
      },
    },
    requests: {
      async getFirings() {
        hasBegun ||= begins === 'whenListed';
        return fired;
      },
      async interruptOn(instanceIds: string[]) {
        asked.push(instanceIds);
        return instanceIds.length > 0;
      },
    },
  };
  return { parts: parts as never, asked };
}

describe.each(INTERRUPTS)('an interrupt ($type)', (interrupt) => {
  it.each(['whenListed', 'whenAwaited'] as const)('reaches a run that begins late (%s)', async (begins) => {
    const { parts, asked } = nodeWith([firing('a.1')], begins);
    expect(await interruptEverywhere(parts, interrupt)).toBe(true);
    expect(asked).toEqual([[]]);
  });

  it('returns false if the run has ended and only its row is left', async () => {
    expect(await interruptEverywhere(nodeWith([firing('a.1')], 'never').parts, interrupt)).toBe(false);
  });
});

it('interruptEverywhere notifies each other node once for the runs of a job', async () => {
  const { parts, asked } = nodeWith([firing('b.1'), firing('c.1'), firing('b.2')], 'never');
  expect(await interruptEverywhere(parts, { type: 'interruptJob', jobKey: jobKey('long') })).toBe(true);
  expect(asked).toEqual([['b', 'c']]);
});
