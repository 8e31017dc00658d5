import { clock } from '../state/clock';
import { EmptyState } from './basics';
import { relativeTimeText, timeText, weekdayText } from './format';

export function FireTimes({ times, empty }: { readonly times: readonly string[]; readonly empty: string }) {
  if (times.length === 0) return <EmptyState>{empty}</EmptyState>;
  return (
    <ol class="times">
      {times.map((time) => (
        <li key={time}>
          <span class="faint">{weekdayText(time)}</span>
          <time dateTime={time} class="number">
            {timeText(time)}
          </time>
          <span class="faint">{relativeTimeText(time, clock.value)}</span>
        </li>
      ))}
    </ol>
  );
}
