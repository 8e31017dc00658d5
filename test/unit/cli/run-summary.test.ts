import { SchedulerError } from '../../../src/base/errors';
import { Lateness, RunSummary } from '../../../src/cli/run-summary';
import { occurrenceData } from '../../../src/domain/occurrence';
import { retryTriggerKey } from '../../../src/domain/retry';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';

const firingOf = (name: string) => ({ trigger: { key: { group: 'g', name }, data: {} }, scheduledFireTime: 1_000 });

/** An event with only the fields that the summary reads. */
const event = (fields: Record<string, unknown>) => ({ at: 1_000, ...fields }) as unknown as SchedulerEvent;

describe('RunSummary', () => {
  it('counts firings, failures, misfires, vetoes and lateness per trigger and in total', () => {
    const summary = new RunSummary();
    for (const late of [1, 2, 3]) {
      summary.record(event({ type: 'triggerFired', firing: firingOf('a') }));
      summary.record(event({ type: 'jobStarted', at: 1_000 + late, firing: firingOf('a'), refireCount: 0 }));
    }
    summary.record(event({ type: 'jobStarted', at: 9_000, firing: firingOf('a'), refireCount: 1 }));
    summary.record(event({ type: 'triggerCompleted', firing: firingOf('a'), error: new Error('x') }));
    summary.record(event({ type: 'triggerCompleted', firing: firingOf('a'), error: null }));
    summary.record(event({ type: 'triggerMisfired', trigger: firingOf('b').trigger }));
    summary.record(event({ type: 'jobVetoed', firing: firingOf('b') }));
    const { triggers, ...total } = summary.report({ startedAt: 0, endedAt: 10 });
    expect(total).toMatchObject({
      type: 'summary',
      firings: 3,
      failures: 1,
      misfires: 1,
      vetoed: 1,
      schedulerErrors: 0,
    });
    expect(triggers).toEqual([
      { trigger: 'g/a', firings: 3, failures: 1, misfires: 0, vetoed: 0, lateness: { p50: 2, p99: 3, max: 3 } },
      {
        trigger: 'g/b',
        firings: 0,
        failures: 0,
        misfires: 1,
        vetoed: 1,
        lateness: { p50: null, p99: null, max: null },
      },
    ]);
  });

  it('counts errors of the scheduler separately from those of jobs, and counts abandoned jobs', () => {
    const summary = new RunSummary();
    summary.record(event({ type: 'schedulerError', error: new SchedulerError('JOB_EXECUTION', 'x') }));
    summary.record(event({ type: 'schedulerError', error: new SchedulerError('STORE_FAILURE', 'x') }));
    summary.record(event({ type: 'schedulerShutdown', abandonedJobs: 2 }));
    expect(summary.report({ startedAt: 0, endedAt: 1 })).toMatchObject({ schedulerErrors: 1, abandonedJobs: 2 });
  });

  it('counts a retry for the trigger of its occurrence', () => {
    const data = occurrenceData({ id: 'o', triggerKey: { group: 'g', name: 'a' }, scheduledTime: 1_000, attempt: 2 });
    const retry = { trigger: { key: retryTriggerKey('f'), data }, scheduledFireTime: 2_000 };
    const summary = new RunSummary();
    for (const firing of [firingOf('a'), retry]) summary.record(event({ type: 'triggerFired', firing }));
    const { triggers } = summary.report({ startedAt: 0, endedAt: 1 });
    expect(triggers.map(({ trigger, firings }) => [trigger, firings])).toEqual([['g/a', 2]]);
  });

  it('counts all triggers after the first thousand together, so that its size is limited', () => {
    const summary = new RunSummary();
    for (let i = 0; i < 1_500; i++) summary.record(event({ type: 'triggerFired', firing: firingOf(`t${i}`) }));
    const { triggers, firings } = summary.report({ startedAt: 0, endedAt: 1 });
    expect(firings).toBe(1_500);
    expect(triggers).toHaveLength(1_001);
    expect(triggers.at(-1)).toMatchObject({ trigger: '(others)', firings: 500 });
  });
});

describe('Lateness', () => {
  it('returns percentiles with three digits and the exact maximum', () => {
    const lateness = new Lateness();
    for (let value = 1; value <= 100; value++) lateness.record(value * 100.4);
    expect(lateness.percentile(0.5)).toBe(5_020);
    expect(lateness.percentile(0.99)).toBe(9_940);
    expect(lateness.max).toBe(10_040);
  });

  it('counts an early start as on time, and returns null without records', () => {
    const lateness = new Lateness();
    expect(lateness.percentile(0.5)).toBeNull();
    expect(lateness.max).toBeNull();
    lateness.record(-3);
    expect(lateness.percentile(0.5)).toBe(0);
    expect(lateness.max).toBe(0);
  });
});
