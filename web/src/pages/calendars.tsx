import type { OutputOf } from '../../../src/operations/operations';
import { href, place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Badge } from '../ui/basics';
import { TYPE_WORDS } from '../ui/calendar-fields';
import { mayRun } from '../ui/deeds';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { CalendarLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Calendar = OutputOf<'calendars.list'>['items'][number];

const COLUMNS: readonly Column<Calendar>[] = [
  {
    name: 'Calendar',
    cell: ({ name, description }) => (
      <>
        <CalendarLink name={name} />
        {description !== null && <small class="below">{description}</small>}
      </>
    ),
  },
  {
    name: 'Excludes',
    cell: ({ type }) => (type === null ? <Badge tone="bad">unreadable here</Badge> : TYPE_WORDS[type].toLowerCase()),
  },
  { name: 'Time zone', cell: ({ timeZone }) => timeZone ?? '–', isMinor: true },
];

/** The calendars: times that triggers pass over. */
export function CalendarsPage() {
  const calendars = useOperation('calendars.list', {
    after: place.value.query.get('after') ?? undefined,
    limit: 100,
  });
  return (
    <>
      <Heading
        title="Calendars"
        actions={
          mayRun('calendars.add') && (
            <a class="button primary" href={href(['new-calendar'])}>
              New calendar
            </a>
          )
        }
      />
      <section class="panel" aria-label="Calendars">
        <AskedTable
          asked={calendars}
          caption="Calendars by name"
          columns={COLUMNS}
          keyOf={({ name }) => name}
          empty="No calendar is stored. A calendar holds the times that triggers pass over, such as holidays."
        />
      </section>
      <Pages next={calendars.data?.next} />
    </>
  );
}
