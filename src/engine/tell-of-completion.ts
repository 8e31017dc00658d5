import type { Clock } from '../base/clock';
import type { Completion } from '../domain/completion';
import type { EventBus } from '../events/event-bus';
import type { CompletionOutcome } from '../store/job-store';

/** A firing that has ended, and what to tell about it once the store knows. */
export interface EndedFiring {
  readonly completion: Completion;
  /** Milliseconds. */
  readonly jobRunTime: number;
  readonly error: Error | null;
}

/** What is told of a completion that the store has accepted. */
const TOLD_OF_COMPLETIONS = ['triggerCompleted', 'triggerFinalized', 'jobDeleted'] as const;

/** Whether anybody hears of completions. Mostly nobody does, and then none of them has to be looked at. */
export function hasListeners(bus: EventBus): boolean {
  return TOLD_OF_COMPLETIONS.some((type) => bus.has(type));
}

/** Tells what became of a firing that has ended, as the store says. */
export function tellOfCompletion(
  { bus, clock }: { readonly bus: EventBus; readonly clock: Clock },
  { completion, jobRunTime, error }: EndedFiring,
  outcome: CompletionOutcome | undefined,
): void {
  const { firing, instruction } = completion;
  if (outcome?.status === 'fenced') {
    bus.publish({ type: 'completionFenced', at: clock.now(), firing });
    return;
  }
  if (bus.has('triggerCompleted')) {
    bus.publish({ type: 'triggerCompleted', at: clock.now(), firing, instruction, jobRunTime, error });
  }
  const isFinal = firing.trigger.nextFireTime === null && (outcome?.deletedTrigger || instruction !== 'DELETE_TRIGGER');
  if (isFinal && bus.has('triggerFinalized')) {
    bus.publish({ type: 'triggerFinalized', at: clock.now(), trigger: firing.trigger });
  }
  if (outcome?.deletedJob && bus.has('jobDeleted')) {
    bus.publish({ type: 'jobDeleted', at: clock.now(), jobKey: firing.jobDetail.key });
  }
}
