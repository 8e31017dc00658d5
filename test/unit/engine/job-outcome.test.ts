import { JobExecutionException, type JobExecutionExceptionOptions } from '../../../src/api/job-execution-exception';
import { decideInstruction, returnedJobData } from '../../../src/engine/job-outcome';
import { aFiring, aTrigger } from './samples';

const repeating = aFiring({ trigger: aTrigger({ nextFireTime: 1 }) });
const last = aFiring({ trigger: aTrigger({ nextFireTime: null }) });
const failure = (options: JobExecutionExceptionOptions) => new JobExecutionException('no', options);
const ALL = { refireImmediately: true, unscheduleFiringTrigger: true, unscheduleAllTriggers: true };

describe('decideInstruction', () => {
  it('deletes a trigger after its last firing, successful or failed, and keeps other triggers', () => {
    expect(decideInstruction(repeating, null, true)).toBe('NOOP');
    expect(decideInstruction(repeating, failure({}), true)).toBe('NOOP');
    expect(decideInstruction(last, null, true)).toBe('DELETE_TRIGGER');
    expect(decideInstruction(last, failure({}), true)).toBe('DELETE_TRIGGER');
  });

  it('applies the flags of a failure in the order of Quartz', () => {
    expect(decideInstruction(last, failure(ALL), true)).toBe('RE_EXECUTE_JOB');
    expect(decideInstruction(last, failure(ALL), false)).toBe('SET_TRIGGER_COMPLETE');
    expect(decideInstruction(last, failure({ ...ALL, unscheduleFiringTrigger: false }), false)).toBe(
      'SET_ALL_JOB_TRIGGERS_COMPLETE',
    );
    expect(decideInstruction(repeating, failure({ refireImmediately: true }), false)).toBe('NOOP');
  });
});

describe('returnedJobData', () => {
  it('never stores data that the scheduler adds for a recovery or a retry', () => {
    const { jobDetail } = aFiring();
    const given = {
      n: 1,
      QRTZ_FAILED_JOB_ORIG_TRIGGER_NAME: 't',
      QRTZ_X_RECOVERY_ATTEMPT: '2',
      QRTZ_X_OCCURRENCE_ATTEMPT: '3',
    };
    const persisting = { ...jobDetail, persistJobDataAfterExecution: true };
    expect(returnedJobData(persisting, given)).toEqual({ n: 1 });
    expect(returnedJobData({ ...persisting, data: { n: 1 } }, given)).toBeNull();
  });
});
