import type { OutputOf } from '../../../src/operations/operations';
import { href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/action-button';
import { Badge } from '../ui/basics';
import { TYPE_LABELS } from '../ui/calendar-fields';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { CalendarLink } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';

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
    cell: ({ type }) => (type === null ? <Badge tone="bad">unreadable</Badge> : TYPE_LABELS[type].toLowerCase()),
  },
  { name: 'Time zone', cell: ({ timeZone }) => timeZone ?? '–', isMinor: true },
];

export function CalendarsPage() {
  const calendars = useOperation('calendars.list', {
    after: route.value.query.get('after') ?? undefined,
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
        <ResultTable
          result={calendars}
          caption="Calendars by name"
          columns={COLUMNS}
          keyOf={({ name }) => name}
          empty="No calendars. A calendar contains times that triggers skip, such as holidays. To add a calendar, select New calendar."
        />
      </section>
      <Pages next={calendars.data?.next} />
    </>
  );
}
