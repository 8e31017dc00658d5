import { clock } from '../state/clock';
import { Nothing } from './basics';
import { awayText, timeText, weekdayText } from './format';

/** Times to come, one below the other: the day of the week, the time, how far away. */
export function FireTimes({ times, empty }: { readonly times: readonly string[]; readonly empty: string }) {
  if (times.length === 0) return <Nothing>{empty}</Nothing>;
  return (
    <ol class="times">
      {times.map((time) => (
        <li key={time}>
          <span class="faint">{weekdayText(time)}</span>
          <time dateTime={time} class="number">
            {timeText(time)}
          </time>
          <span class="faint">{awayText(time, clock.value)}</span>
        </li>
      ))}
    </ol>
  );
}
