/** States of a stored trigger. EXECUTING is not among them, because it is a state of a firing. */
export const TRIGGER_STATES = [
  'WAITING',
  'ACQUIRED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_BLOCKED',
  'COMPLETE',
  'ERROR',
] as const;

/** State of a stored trigger. */
export type TriggerState = (typeof TRIGGER_STATES)[number];

/** States of paused triggers. */
export const PAUSED_STATES = ['PAUSED', 'PAUSED_BLOCKED'] as const satisfies readonly TriggerState[];

/** States of triggers that fire at their next fire time. A pause changes only these states. */
export const ACTIVE_STATES = ['WAITING', 'ACQUIRED', 'BLOCKED'] as const satisfies readonly TriggerState[];

/** States of triggers that wait until their job, or the limit that they need, is free. */
const BLOCKED_STATES = ['BLOCKED', 'PAUSED_BLOCKED'] as const satisfies readonly TriggerState[];

/** States of triggers that no node has acquired and that have not halted. */
export const UNFIRED_STATES = [
  'WAITING',
  'PAUSED',
  'BLOCKED',
  'PAUSED_BLOCKED',
] as const satisfies readonly TriggerState[];

/** States of triggers that a node acquires when they are due. */
export const WAITING_STATES = ['WAITING'] as const satisfies readonly TriggerState[];

/** States of triggers that a node has acquired, or acquires when they are due. */
export const UPCOMING_STATES = ['WAITING', 'ACQUIRED'] as const satisfies readonly TriggerState[];

/** States of triggers that wait for a run or a node. A stuck trigger has one of them. */
export const HELD_STATES = ['BLOCKED', 'PAUSED_BLOCKED', 'ACQUIRED'] as const satisfies readonly TriggerState[];

/** States of triggers that failed, and fire again only after a reset. */
export const ERROR_STATES = ['ERROR'] as const satisfies readonly TriggerState[];

/** States of triggers that have no fire times left. */
export const COMPLETE_STATES = ['COMPLETE'] as const satisfies readonly TriggerState[];

export function isWaiting(state: TriggerState): boolean {
  return state === 'WAITING';
}

export function isAcquired(state: TriggerState): boolean {
  return state === 'ACQUIRED';
}

export function isInError(state: TriggerState): boolean {
  return state === 'ERROR';
}

export function isComplete(state: TriggerState): boolean {
  return state === 'COMPLETE';
}

export function isPaused(state: TriggerState): boolean {
  return (PAUSED_STATES as readonly TriggerState[]).includes(state);
}

export function isBlocked(state: TriggerState): boolean {
  return (BLOCKED_STATES as readonly TriggerState[]).includes(state);
}

/** True if the trigger has ended or failed: it does not fire until it is rescheduled or reset. */
export function isHalted(state: TriggerState): boolean {
  return isComplete(state) || isInError(state);
}

/** True if the trigger does not fire at its next fire time, because it is paused or halted. */
export function isDormant(state: TriggerState): boolean {
  return isPaused(state) || isHalted(state);
}

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

/** Next state for each transition and state. If absent, the transition does not change the state. */
type TransitionTable = Readonly<Record<TriggerTransition, Readonly<Partial<Record<TriggerState, TriggerState>>>>>;

/** Transitions while the job does not block its triggers. Otherwise, `nextState` returns BLOCKED for WAITING, and PAUSED_BLOCKED for PAUSED. */
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

export interface TransitionContext {
  /** True if the job disallows concurrent execution and is executing after the transition. A run that this transition starts counts as executing. */
  readonly jobExecuting: boolean;
  /** True if the trigger's group, or every group, is paused. */
  readonly groupPaused: boolean;
}

/** Returns the state after a transition. Returns `state` if the transition does not apply to it. */
export function nextState(
  state: TriggerState,
  transition: TriggerTransition,
  context: TransitionContext,
): TriggerState {
  const next = (TRANSITIONS as TransitionTable)[transition][state];
  if (next === undefined) return state;
  // A user who resumes a trigger individually overrides the pause of its group. A reset does not override it.
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

/** Returns the state of a new or reset trigger: waiting, blocked or paused, whatever its previous state. */
export function restingState({ jobExecuting, groupPaused }: TransitionContext): TriggerState {
  if (groupPaused) return jobExecuting ? 'PAUSED_BLOCKED' : 'PAUSED';
  return jobExecuting ? 'BLOCKED' : 'WAITING';
}

/** Returns a hint for Quartz's state NORMAL, which stands for two states here. Null for other words, or if WAITING is not expected. */
export function quartzStateHint(word: string | null, expected: readonly string[]): string | null {
  if (word?.toUpperCase() !== 'NORMAL' || !expected.includes('WAITING')) return null;
  return "Quartz's NORMAL is WAITING or ACQUIRED.";
}
