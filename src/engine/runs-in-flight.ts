import { occurrenceOf } from '../domain/occurrence';
import type { RunInFlight } from '../domain/scheduler-event';
import type { RunState } from './run-state';

/** Maximum number of runs that an event names. */
const MAX_NAMED = 10;

/** Names runs for an event: the longest ones first. */
export function runsInFlight(runs: readonly RunState[]): readonly RunInFlight[] {
  const longest = [...runs].sort((a, b) => a.firing.fireTime - b.firing.fireTime).slice(0, MAX_NAMED);
  return longest.map(({ firing }) => ({
    runId: firing.runId,
    jobKey: firing.jobDetail.key,
    triggerKey: occurrenceOf(firing).triggerKey,
    fireTime: firing.fireTime,
  }));
}
