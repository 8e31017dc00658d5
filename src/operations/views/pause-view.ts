import { z } from 'zod';
import type { ListedPause } from '../../api/reading';
import { formatKey, type GroupMatcher, sameKey, type TriggerKey } from '../../domain/keys';
import { isPaused } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import { timeView } from '../fields';

export const listedPause = z.object({
  reason: z.string().nullable(),
  by: z.string().nullable(),
  since: timeView,
  until: timeView.nullable(),
  holdsRetries: z.boolean().describe('True if waiting runs of earlier occurrences are paused too.'),
});

/** Clause that names the paused trigger, job or group, such as "Its group reports is paused". Null if the trigger is not paused. */
export function pauseClause(found: FoundTrigger): string | null {
  const target = pausedTarget(found);
  return target && `${target} is paused`;
}

function pausedTarget({ trigger, state, pause, isGroupPaused }: FoundTrigger): string | null {
  if (!isPaused(state)) return null;
  if (pause === null) return isGroupPaused ? `Its group ${trigger.key.group}` : 'It';
  return nameOfTarget(pause, trigger.key);
}

/** Sentence with the target, start, author, end and reason of the trigger's pause. Null if the trigger is not paused. */
export function pauseSentence(found: FoundTrigger): string | null {
  const target = pausedTarget(found);
  if (target === null || found.pause === null) return target && `${target} is paused.`;
  const { since, by, until, reason } = found.pause;
  const author = by === null ? '' : ` by ${by}`;
  const end = until === null ? '' : `, until ${until.toISOString()}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `${target} was paused at ${since.toISOString()}${author}${end}${why}.`;
}

/** Name of the paused target, from the point of view of the trigger. */
function nameOfTarget({ target }: ListedPause, key: TriggerKey): string {
  switch (target.kind) {
    case 'trigger':
      return sameKey(target.key, key) ? 'It' : `Its trigger ${formatKey(target.key)}`;
    case 'job':
      return `Its job ${formatKey(target.key)}`;
    case 'triggers':
      return groupsOf(target.matcher, 'group');
    case 'jobs':
      return groupsOf(target.matcher, 'job group');
  }
}

const VERBS = { startsWith: 'starts with', endsWith: 'ends with', contains: 'contains' } as const;

function groupsOf({ operator, value }: GroupMatcher, what: string): string {
  if (operator === 'any') return 'Everything';
  if (operator === 'equals') return `Its ${what} ${value}`;
  return `Every ${what} that ${VERBS[operator]} '${value}'`;
}
