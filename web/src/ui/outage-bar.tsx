import { clock } from '../state/clock';
import { outage } from '../state/outage';
import { clockText, durationText } from './format';

/** At the top of every page while the console or its database does not answer: what is below is as old as it says. */
export function OutageBar() {
  const current = outage.value;
  if (current === null) return null;
  const { of, since, reason } = current;
  return (
    <p class="notice bad outage" role="alert">
      {of === 'database' ? 'The database does not answer' : 'No answer from the console'} since{' '}
      <span class="number">{clockText(since)}</span> ({durationText(Math.max(0, clock.value - since))}). The figures
      below are from then. Retrying.
      {reason !== null && <small class="below">{reason}</small>}
    </p>
  );
}
