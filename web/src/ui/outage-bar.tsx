import { clock } from '../state/clock';
import { outage } from '../state/outage';
import { clockText, durationText } from './format';

export function OutageBar() {
  const current = outage.value;
  if (current === null) return null;
  const { of, since, reason } = current;
  return (
    <p class="notice bad outage" role="alert">
      No answer from the {of} since <span class="number">{clockText(since)}</span> (
      {durationText(Math.max(0, clock.value - since))}). The page shows data from before that time. Retrying…
      {reason !== null && <small class="below">{reason}</small>}
    </p>
  );
}
