import type { TriggerFiring } from './firing';
import type { JobData } from './job-data';

/** What the store does with the trigger when its job has ended. Quartz's names. */
export type CompletionInstruction =
  | 'NOOP'
  | 'RE_EXECUTE_JOB'
  | 'DELETE_TRIGGER'
  | 'SET_TRIGGER_COMPLETE'
  | 'SET_ALL_JOB_TRIGGERS_COMPLETE'
  | 'SET_TRIGGER_ERROR'
  | 'SET_ALL_JOB_TRIGGERS_ERROR';

/** The end of one firing, for the store. */
export interface Completion {
  readonly firing: TriggerFiring;
  readonly instruction: CompletionInstruction;
  /** New data of a job that persists it; absent when unchanged. */
  readonly jobData?: JobData;
}
