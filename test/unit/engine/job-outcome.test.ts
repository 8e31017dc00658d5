import { JobExecutionException, type JobExecutionExceptionOptions } from '../../../src/api/job-execution-exception';
import { decideInstruction } from '../../../src/engine/job-outcome';
import { aFiring, aTrigger } from './samples';

const repeating = aFiring({ trigger: aTrigger({ nextFireTime: 1 }) });
const last = aFiring({ trigger: aTrigger({ nextFireTime: null }) });
const failure = (options: JobExecutionExceptionOptions) => new JobExecutionException('no', options);
const ALL = { refireImmediately: true, unscheduleFiringTrigger: true, unscheduleAllTriggers: true };

describe('decideInstruction', () => {
  it('deletes a trigger after its last firing, failed or not, and leaves others alone', () => {
    expect(decideInstruction(repeating, null, true)).toBe('NOOP');
    expect(decideInstruction(repeating, failure({}), true)).toBe('NOOP');
    expect(decideInstruction(last, null, true)).toBe('DELETE_TRIGGER');
    expect(decideInstruction(last, failure({}), true)).toBe('DELETE_TRIGGER');
  });

  it('obeys the first flag in the order of Quartz', () => {
    expect(decideInstruction(last, failure(ALL), true)).toBe('RE_EXECUTE_JOB');
    expect(decideInstruction(last, failure(ALL), false)).toBe('SET_TRIGGER_COMPLETE');
    expect(decideInstruction(last, failure({ ...ALL, unscheduleFiringTrigger: false }), false)).toBe(
      'SET_ALL_JOB_TRIGGERS_COMPLETE',
    );
    expect(decideInstruction(repeating, failure({ refireImmediately: true }), false)).toBe('NOOP');
  });
});
