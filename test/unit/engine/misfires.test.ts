import { triggerKey } from '../../../src/domain/keys';
import { anEngine, THRESHOLD } from './harness';

const DO_NOTHING = { kind: 'SIMPLE', repeatInterval: 3_600_000, repeatCount: -1 } as const;
const late = (name: string) => ({ ...DO_NOTHING, key: triggerKey(name), startTime: 0 });

/** Triggers that were due at 0, and an engine that is started well after the misfire threshold. */
async function tooLate(count: number) {
  const harness = await anEngine({ jobs: { job: () => {} } });
  await harness.schedule({}, ...Array.from({ length: count }, (_, n) => late(`t${n}`)));
  await harness.advanceTo(THRESHOLD * 2);
  return harness;
}

describe('misfires', () => {
  it('are handled in batches as soon as the engine starts', async () => {
    const harness = await tooLate(5);
    await harness.engine.start();
    await harness.settle();
    expect(harness.eventsOf('triggerMisfired').map(({ trigger }) => trigger.nextFireTime)).toEqual([0, 0, 0, 0, 0]);
    expect(harness.store.calls.filter((call) => call === 'recoverMisfires')).toHaveLength(3);
    await harness.engine.standby();
  });

  it('are searched for at intervals of the misfire threshold', async () => {
    const harness = await anEngine();
    await harness.engine.start();
    await harness.advanceTo(THRESHOLD * 3);
    expect(harness.store.calls.filter((call) => call === 'recoverMisfires')).toHaveLength(4);
    await harness.engine.standby();
  });

  it('are reported to matching trigger listeners, with the trigger as it was before the update', async () => {
    const harness = await tooLate(1);
    const heard: unknown[] = [];
    harness.listeners.addTriggerListener({
      name: 'a',
      triggerMisfired: (trigger) => void heard.push(trigger.nextFireTime),
    });
    harness.listeners.addTriggerListener(
      { name: 'b', triggerMisfired: () => void heard.push('b') },
      { isMatch: () => false },
    );
    await harness.engine.runOnce();
    expect(heard).toEqual([new Date(0)]);
  });

  it('that leave no fire time finalize the trigger', async () => {
    const harness = await anEngine({ jobs: { job: () => {} } });
    await harness.schedule(
      {},
      {
        repeatCount: 1,
        repeatInterval: 1_000,
        misfireInstruction: 'RESCHEDULE_NEXT_WITH_EXISTING_COUNT',
        startTime: 0,
        endTime: 2_000,
      },
    );
    await harness.advanceTo(THRESHOLD * 2);
    await harness.engine.runOnce();
    expect(harness.eventsOf('triggerFinalized')).toHaveLength(1);
    expect(harness.eventsOf('triggerFired')).toEqual([]);
    expect(await harness.stateOf()).toBeNull();
  });

  it('are searched for again with growing pauses while the store fails, which is reported once', async () => {
    const harness = await tooLate(1);
    harness.store.fail('recoverMisfires', 3);
    await harness.engine.start();
    await harness.settle();
    await harness.advanceTo(harness.clock.now() + 349);
    expect(harness.eventsOf('triggerMisfired')).toEqual([]);
    await harness.advanceTo(harness.clock.now() + 1);
    expect(harness.eventsOf('triggerMisfired')).toHaveLength(1);
    expect(harness.eventsOf('schedulerError')).toHaveLength(1);
    await harness.engine.standby();
  });
});
