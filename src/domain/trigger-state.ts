/** The state of a stored trigger. EXECUTING is a state of the firing, not of the trigger. */
export type TriggerState = 'WAITING' | 'ACQUIRED' | 'BLOCKED' | 'PAUSED' | 'PAUSED_BLOCKED' | 'COMPLETE' | 'ERROR';

/** What can happen to a stored trigger. */
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

/** The state as users of Quartz know it. */
export type PublicTriggerState = 'NONE' | 'NORMAL' | 'PAUSED' | 'COMPLETE' | 'ERROR' | 'BLOCKED';

export function toPublicState(state: TriggerState | null): PublicTriggerState {
  switch (state) {
    case null:
      return 'NONE';
    case 'WAITING':
    case 'ACQUIRED':
      return 'NORMAL';
    case 'PAUSED':
    case 'PAUSED_BLOCKED':
      return 'PAUSED';
    case 'BLOCKED':
    case 'COMPLETE':
    case 'ERROR':
      return state;
  }
}
