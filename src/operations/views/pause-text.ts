import type { ListedPause } from '../../api/reading';
import { formatKey, sameKey, type TriggerKey } from '../../domain/keys';
import type { FoundTrigger } from '../../scheduler/control-reads';

/** Clause that names the paused trigger, job or group, such as "Its group reports is paused". Null if the trigger is not paused. */
export function pauseClause({ trigger, state, pause, isGroupPaused }: FoundTrigger): string | null {
  if (state !== 'PAUSED' && state !== 'PAUSED_BLOCKED') return null;
  if (pause === null) return isGroupPaused ? `Its group ${trigger.key.group} is paused` : 'It is paused';
  return `${clauseOf(pause, trigger.key)} paused`;
}

/** Sentence with the target, start, author, end and reason of the trigger's pause. Null if the trigger is not paused. */
export function pauseSentence(found: FoundTrigger): string | null {
  const clause = pauseClause(found);
  if (clause === null || found.pause === null) return clause && `${clause}.`;
  const { since, by, until, reason } = found.pause;
  const author = by === null ? '' : ` by ${by}`;
  const end = until === null ? '' : `, until ${until.toISOString()}`;
  const why = reason === null ? '' : `: ${reason}`;
  return `${clause} since ${since.toISOString()}${author}${end}${why}.`;
}

/** Subject and verb for the paused target, from the point of view of the trigger. */
function clauseOf({ target }: ListedPause, key: TriggerKey): string {
  switch (target.kind) {
    case 'trigger':
      return sameKey(target.key, key) ? 'It is' : `Its trigger ${formatKey(target.key)} is`;
    case 'job':
      return `Its job ${formatKey(target.key)} is`;
    case 'triggers':
      return `${groupsOf(target.matcher, 'group')}`;
    case 'jobs':
      return `${groupsOf(target.matcher, 'job group')}`;
  }
}

function groupsOf({ operator, value }: { readonly operator: string; readonly value: string }, what: string): string {
  if (operator === 'any') return 'Everything is';
  if (operator === 'equals') return `Its ${what} ${value} is`;
  return `Every ${what} that matches '${operator} ${value}' is`;
}
