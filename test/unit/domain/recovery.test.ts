import { jobKey, triggerKey } from '../../../src/domain/keys';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS,
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  type OrphanedFiredTrigger,
  planRecovery,
  RECOVERED_RUN_ID,
  RECOVERING_JOBS,
  RECOVERY_ATTEMPT,
  recoveryTriggerKey,
} from '../../../src/domain/recovery';

const CONTEXT = { maxRecoveryAttempts: 3, isHeld: () => false, isExecuting: () => false };

const left = (fields: Partial<OrphanedFiredTrigger> = {}): OrphanedFiredTrigger => ({
  runId: 'e1.1',
  state: 'EXECUTING',
  triggerKey: triggerKey('t', 'g'),
  firedTime: 2_000,
  scheduledTime: 1_000,
  priority: 7,
  jobKey: jobKey('j'),
  disallowConcurrentExecution: false,
  requestsRecovery: true,
  isOneOff: false,
  trigger: { state: 'WAITING', data: { to: 'ops' } },
  isTriggerStored: true,
  isJobStored: true,
  ...fields,
});

const planOne = (fields: Partial<OrphanedFiredTrigger> = {}, circumstances: Partial<typeof CONTEXT> = {}) => {
  const [planned] = planRecovery([left(fields)], { ...CONTEXT, ...circumstances }).recoveries;
  if (planned === undefined) throw new Error('Expected a recovery.');
  return planned;
};

describe('the recovery of a dead node', () => {
  it('releases acquired triggers at the fire time for which they were acquired', () => {
    const plan = planRecovery([left({ state: 'ACQUIRED', jobKey: null, requestsRecovery: false })], CONTEXT);
    expect(plan).toEqual({
      releases: [{ triggerKey: triggerKey('t', 'g'), fireTime: 1_000 }],
      recoveries: [],
      unblocks: [],
      finishedTriggers: [],
      lost: 0,
    });
  });

  it('creates a one-shot trigger for a run that requests recovery, with its original trigger in the data', () => {
    const { trigger, state } = planOne();
    expect(state).toBe('WAITING');
    expect(trigger).toMatchObject({
      kind: 'SIMPLE',
      key: { group: RECOVERING_JOBS, name: 'recover_e1.1' },
      jobKey: jobKey('j'),
      priority: 7,
      startTime: 1_000,
      nextFireTime: 1_000,
      repeatCount: 0,
      misfireInstruction: 'IGNORE_MISFIRE_POLICY',
    });
    expect(trigger.data).toEqual({
      to: 'ops',
      [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: 't',
      [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: 'g',
      [FAILED_JOB_ORIGINAL_TRIGGER_FIRETIME_IN_MILLISECONDS]: '2000',
      [FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]: '1000',
      [RECOVERED_RUN_ID]: 'e1.1',
      [RECOVERY_ATTEMPT]: '1',
    });
  });

  it('plans the same trigger when it is planned again', () => {
    expect(planOne()).toEqual(planOne());
    expect(planOne().trigger.key).toEqual(recoveryTriggerKey('e1.1'));
  });

  it('keeps the original trigger when a recovery run dies too, and counts the attempts', () => {
    const first = planOne().trigger;
    const second = planOne({
      runId: 'e2.9',
      triggerKey: first.key,
      trigger: { state: 'COMPLETE', data: first.data },
    });
    expect(second.trigger.key.name).toBe('recover_e2.9');
    expect(second.trigger.data).toEqual({ ...first.data, [RECOVERY_ATTEMPT]: '2' });
  });

  it('puts the trigger in ERROR after the maximum number of recovery attempts', () => {
    const died = (attempt: string) => ({
      triggerKey: triggerKey('recover_x', RECOVERING_JOBS),
      trigger: {
        state: 'COMPLETE',
        data: { [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: 't', [RECOVERY_ATTEMPT]: attempt },
      } as const,
    });
    expect(planOne(died('2')).state).toBe('WAITING');
    expect(planOne(died('3')).state).toBe('ERROR');
    expect(planOne(died('Infinity')).state).toBe('WAITING');
    expect(planOne({}, { maxRecoveryAttempts: 0 }).state).toBe('ERROR');
  });

  it('counts a recovery by Java as the first attempt', () => {
    const { trigger } = planOne({
      triggerKey: triggerKey('recover_node1_17', RECOVERING_JOBS),
      trigger: { state: 'COMPLETE', data: { [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: 't' } },
    });
    expect(trigger.data[RECOVERY_ATTEMPT]).toBe('2');
  });

  it('recovers a run without its trigger data if this node cannot read the trigger', () => {
    const { trigger } = planOne({ trigger: null });
    expect(trigger.data.to).toBeUndefined();
    expect(trigger.data[FAILED_JOB_ORIGINAL_TRIGGER_NAME]).toBe('t');
  });

  it.each([
    { why: 'its job does not request recovery', fields: { requestsRecovery: false } },
    { why: 'its job was deleted', fields: { isJobStored: false } },
    { why: 'its trigger was deleted', fields: { isTriggerStored: false } },
  ])('counts a run as lost because $why', ({ fields }) => {
    expect(planRecovery([left(fields)], CONTEXT)).toMatchObject({ recoveries: [], lost: 1 });
  });

  it('blocks the recovery run of a non-concurrent job while the job executes on another node', () => {
    const isExecuting = () => true;
    expect(planOne({ disallowConcurrentExecution: true }, { isExecuting }).state).toBe('BLOCKED');
    expect(planOne({ disallowConcurrentExecution: false }, { isExecuting }).state).toBe('WAITING');
    expect(planOne({ disallowConcurrentExecution: true }).state).toBe('WAITING');
  });

  it('pauses the recovery run while its original trigger or the recovery group is paused', () => {
    expect(planOne({}, { isHeld: () => true }).state).toBe('PAUSED');
  });

  it('checks each non-concurrent job and each completed trigger only once', () => {
    const complete = { state: 'COMPLETE', data: {} } as const;
    const firings = [
      left({ runId: '1', disallowConcurrentExecution: true, trigger: complete }),
      left({ runId: '2', disallowConcurrentExecution: true, trigger: complete }),
      left({ runId: '3', triggerKey: triggerKey('other'), jobKey: jobKey('concurrent') }),
    ];
    const { unblocks, finishedTriggers } = planRecovery(firings, CONTEXT);
    expect(unblocks).toEqual([jobKey('j')]);
    expect(finishedTriggers).toEqual([triggerKey('t', 'g')]);
  });

  it('does nothing for a node without fired triggers', () => {
    expect(planRecovery([], CONTEXT)).toEqual({
      releases: [],
      recoveries: [],
      unblocks: [],
      finishedTriggers: [],
      lost: 0,
    });
  });
});
