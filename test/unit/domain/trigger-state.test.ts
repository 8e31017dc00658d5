import {
  ACTIVE_STATES,
  isBlocked,
  isDormant,
  isHalted,
  isPaused,
  nextState,
  quartzStateHint,
  restingState,
  TRANSITIONS,
  type TriggerState,
  type TriggerTransition,
} from '../../../src/domain/trigger-state';

const STATES = ['WAITING', 'ACQUIRED', 'BLOCKED', 'PAUSED', 'PAUSED_BLOCKED', 'COMPLETE', 'ERROR'] as const;

/** Next states per transition, in the order of STATES; `.` means unchanged. First while the job is idle, then while it executes. */
const EXPECTED: Record<TriggerTransition, readonly [string, string]> = {
  acquire: ['ACQUIRED . . . . . .', '. . . . . . .'],
  release: ['. WAITING . . . . .', '. BLOCKED . . . . .'],
  fire: ['. WAITING . . . . .', '. BLOCKED . . . . .'],
  block: ['BLOCKED BLOCKED . PAUSED_BLOCKED . . .', 'BLOCKED BLOCKED . PAUSED_BLOCKED . . .'],
  unblock: ['. . WAITING . PAUSED . .', '. . . . . . .'],
  pause: ['PAUSED PAUSED PAUSED_BLOCKED . . . .', 'PAUSED_BLOCKED PAUSED_BLOCKED PAUSED_BLOCKED . . . .'],
  resume: ['. . . WAITING WAITING . .', '. . . BLOCKED BLOCKED . .'],
  complete: ['COMPLETE COMPLETE COMPLETE COMPLETE COMPLETE . .', 'COMPLETE COMPLETE COMPLETE COMPLETE COMPLETE . .'],
  fail: ['ERROR ERROR ERROR ERROR ERROR . .', 'ERROR ERROR ERROR ERROR ERROR . .'],
  reset: ['. . . . . . WAITING', '. . . . . . BLOCKED'],
};

const cases = (Object.keys(TRANSITIONS) as TriggerTransition[]).flatMap((transition) =>
  [false, true].flatMap((jobExecuting) =>
    STATES.map((state, index) => {
      const to = EXPECTED[transition][jobExecuting ? 1 : 0].split(' ')[index];
      return { transition, state, jobExecuting, expected: (to === '.' ? state : to) as TriggerState };
    }),
  ),
);

describe('nextState', () => {
  it.each(cases)('$transition from $state, job executing: $jobExecuting, leads to $expected', (each) => {
    const { transition, state, jobExecuting, expected } = each;
    expect(nextState(state, transition, { jobExecuting, groupPaused: false })).toBe(expected);
  });

  it('depends on the pause of the group only for reset', () => {
    for (const { transition, state, jobExecuting, expected } of cases) {
      const inPausedGroup = nextState(state, transition, { jobExecuting, groupPaused: true });
      const isReset = transition === 'reset' && state === 'ERROR';
      expect(inPausedGroup).toBe(isReset ? (jobExecuting ? 'PAUSED_BLOCKED' : 'PAUSED') : expected);
    }
  });

  it('covers every transition', () => {
    expect(Object.keys(TRANSITIONS).sort()).toEqual(Object.keys(EXPECTED).sort());
  });
});

describe('restingState', () => {
  it('returns the first state of a new trigger', () => {
    const states = [false, true].flatMap((groupPaused) =>
      [false, true].map((jobExecuting) => restingState({ jobExecuting, groupPaused })),
    );
    expect(states).toEqual(['WAITING', 'BLOCKED', 'PAUSED', 'PAUSED_BLOCKED']);
  });
});

describe('quartzStateHint', () => {
  it('explains a Quartz state name only where trigger states are expected', () => {
    expect(quartzStateHint('NORMAL', STATES)).toBe("Quartz's NORMAL is WAITING or ACQUIRED.");
    expect([quartzStateHint('WAITIN', STATES), quartzStateHint('NORMAL', ['low', 'high'])]).toEqual([null, null]);
  });
});

describe('state groups', () => {
  it('classify each state as paused, halted or active', () => {
    expect(STATES.filter(isPaused)).toEqual(['PAUSED', 'PAUSED_BLOCKED']);
    expect(STATES.filter(isBlocked)).toEqual(['BLOCKED', 'PAUSED_BLOCKED']);
    expect(STATES.filter(isHalted)).toEqual(['COMPLETE', 'ERROR']);
    expect(STATES.filter(isDormant)).toEqual(['PAUSED', 'PAUSED_BLOCKED', 'COMPLETE', 'ERROR']);
    expect(STATES.filter((state) => !isDormant(state)).sort()).toEqual([...ACTIVE_STATES].sort());
  });
});
