import { serverNow } from '../state/clock';
import { countText, timeText } from './format';

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(Date.UTC(2026, month))),
);
const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

interface YearProps {
  readonly year: number;
  readonly timeZone: string;
  readonly whole: readonly string[];
  readonly part: readonly string[];
}

/** Calendar with twelve months. Excluded days differ in colour, pattern and text. */
export function Year({ year, timeZone, whole, part }: YearProps) {
  const words = new Map<string, string>([
    ...whole.map((day) => [day, 'excluded'] as const),
    ...part.map((day) => [day, 'partly excluded'] as const),
  ]);
  return (
    <>
      <div class="year">
        {MONTHS.map((name, month) => (
          <Month key={name} name={name} year={year} month={month} words={words} />
        ))}
      </div>
      <p class="legend">
        <i class="day excluded" /> excluded: {daysText(whole.length)} <i class="day part" /> partly excluded:{' '}
        {daysText(part.length)} · time zone {timeZone}
      </p>
    </>
  );
}

const daysText = (count: number) => `${countText(count)} ${count === 1 ? 'day' : 'days'}`;

function Month({
  name,
  year,
  month,
  words,
}: {
  readonly name: string;
  readonly year: number;
  readonly month: number;
  readonly words: ReadonlyMap<string, string>;
}) {
  return (
    <table>
      <caption>{name}</caption>
      <thead>
        <tr>
          {WEEK.map((day) => (
            <th key={day} scope="col">
              <abbr title={day}>{day.slice(0, 2)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(year, month).map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, index) => (
              <Day key={WEEK[index]} day={day} word={day === null ? undefined : words.get(day)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Day({ day, word }: { readonly day: string | null; readonly word: string | undefined }) {
  if (day === null) return <td />;
  const kind = word === undefined ? '' : word === 'excluded' ? 'excluded' : 'part';
  return (
    <td class={`day ${kind} ${day === today() ? 'today' : ''}`} title={word === undefined ? day : `${day}: ${word}`}>
      {Number(day.slice(8))}
      {word !== undefined && <span class="visually-hidden"> {word}</span>}
    </td>
  );
}

function today(): string {
  return timeText(serverNow()).slice(0, 10);
}

/** Returns the days of a month, such as `2026-03-01`, in weeks that begin on Monday. Days of other months are null. */
function weeksOf(year: number, month: number): readonly (readonly (string | null)[])[] {
  const first = Date.UTC(year, month);
  const before = (new Date(first).getUTCDay() + 6) % 7;
  const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const days = Array.from({ length: count }, (_, index) =>
    new Date(first + index * 86_400_000).toISOString().slice(0, 10),
  );
  const all = [...Array<null>(before).fill(null), ...days, ...Array<null>((7 - ((before + count) % 7)) % 7).fill(null)];
  return Array.from({ length: all.length / 7 }, (_, week) => all.slice(week * 7, week * 7 + 7));
}
