/** The states of a stored trigger. EXECUTING is a state of the firing, not of the trigger. */
export const TRIGGER_STATES = [
  'WAITING',
  'ACQUIRED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_BLOCKED',
  'COMPLETE',
  'ERROR',
] as const;

/** The state of a stored trigger. */
export type TriggerState = (typeof TRIGGER_STATES)[number];

/** States in which triggers do not fire at their next fire time, until someone resumes, resets or reschedules them. */
const DORMANT: readonly TriggerState[] = ['PAUSED', 'PAUSED_BLOCKED', 'COMPLETE', 'ERROR'];

/** True if a trigger in this state does not fire at its next fire time. */
export function isDormant(state: TriggerState): boolean {
  return DORMANT.includes(state);
}

/** Transition of a stored trigger. */
export type TriggerTransition =
  | 'acquire'
  | 'release'
  | 'fire'
  | 'block'
  | 'unblock'
  | 'pause'
  | 'resume'
  | 'complete'
  | 'fail'
  | 'reset';

/** Resulting state of each transition; absent if the state does not change. */
export type TransitionTable = Readonly<
  Record<TriggerTransition, Readonly<Partial<Record<TriggerState, TriggerState>>>>
>;

/** The plain table: `nextState` turns WAITING and PAUSED into BLOCKED and PAUSED_BLOCKED while the job's execution blocks its triggers. */
export const TRANSITIONS = {
  acquire: { WAITING: 'ACQUIRED' },
  release: { ACQUIRED: 'WAITING' },
  fire: { ACQUIRED: 'WAITING' },
  block: { WAITING: 'BLOCKED', ACQUIRED: 'BLOCKED', PAUSED: 'PAUSED_BLOCKED' },
  unblock: { BLOCKED: 'WAITING', PAUSED_BLOCKED: 'PAUSED' },
  pause: { WAITING: 'PAUSED', ACQUIRED: 'PAUSED', BLOCKED: 'PAUSED_BLOCKED' },
  resume: { PAUSED: 'WAITING', PAUSED_BLOCKED: 'WAITING' },
  complete: {
    WAITING: 'COMPLETE',
    ACQUIRED: 'COMPLETE',
    BLOCKED: 'COMPLETE',
    PAUSED: 'COMPLETE',
    PAUSED_BLOCKED: 'COMPLETE',
  },
  fail: { WAITING: 'ERROR', ACQUIRED: 'ERROR', BLOCKED: 'ERROR', PAUSED: 'ERROR', PAUSED_BLOCKED: 'ERROR' },
  reset: { ERROR: 'WAITING' },
} as const satisfies TransitionTable;

/** Facts, in addition to the state, that decide the outcome of a transition. */
export interface TransitionContext {
  /** True if the job disallows concurrent execution and executes after the transition, so a firing counts itself. */
  readonly jobExecuting: boolean;
  /** True if the trigger's group, or every group, is paused. */
  readonly groupPaused: boolean;
}

/** Returns the state after a transition, or the same state if the transition does not apply to it. */
export function nextState(
  state: TriggerState,
  transition: TriggerTransition,
  context: TransitionContext,
): TriggerState {
  const next = (TRANSITIONS as TransitionTable)[transition][state];
  if (next === undefined) return state;
  // Resuming a single trigger is deliberate, even if its group is paused. After a reset, the pause of the group still applies.
  if (transition === 'reset') return restingState(context);
  if (!context.jobExecuting) return next;
  switch (next) {
    case 'WAITING':
      return 'BLOCKED';
    case 'PAUSED':
      return 'PAUSED_BLOCKED';
    case 'ACQUIRED':
      return state;
    default:
      return next;
  }
}

/** Returns the state of a new trigger, or of one that is not acquired, individually paused, completed or failed. */
export function restingState({ jobExecuting, groupPaused }: TransitionContext): TriggerState {
  if (groupPaused) return jobExecuting ? 'PAUSED_BLOCKED' : 'PAUSED';
  return jobExecuting ? 'BLOCKED' : 'WAITING';
}

/** Returns a hint for users of Quartz's word for two of the states in `getTriggerState`. Null for other words, or if no state is expected. */
export function quartzStateHint(word: string | null, expected: readonly string[]): string | null {
  if (word?.toUpperCase() !== 'NORMAL' || !expected.includes('WAITING')) return null;
  return "Quartz's NORMAL is WAITING or ACQUIRED.";
}
