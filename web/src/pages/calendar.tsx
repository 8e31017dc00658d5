import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { serverNow } from '../state/clock';
import { go, href, route, setQuery } from '../state/router';
import { useOperation } from '../state/use-operation';
import { ActionButton, mayRun } from '../ui/action-button';
import { Loading, Panel } from '../ui/basics';
import { TYPE_LABELS } from '../ui/calendar-fields';
import { confirmAction } from '../ui/confirm';
import { DefinitionFacts } from '../ui/definition';
import { countText, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { keyText, TriggerLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { Year } from '../ui/year';

type Calendar = OutputOf<'calendars.show'>;

export function CalendarPage() {
  const [, name = ''] = route.value.path;
  const { data: calendar, error, reload } = useOperation('calendars.show', { name });
  if (calendar === null) return <Loading error={error} />;
  return (
    <>
      <Heading
        title={name}
        crumbs={[['Calendars', ['calendars']]]}
        note={calendar.type !== null && `Excludes: ${TYPE_LABELS[calendar.type].toLowerCase()}`}
        actions={<CalendarActions calendar={calendar} />}
      />
      {calendar.description !== null && <p class="lead">{calendar.description}</p>}
      <YearPanel name={name} />
      <div class="panels">
        <Panel title="Definition">
          <DefinitionFacts definition={calendar.definition} />
        </Panel>
        <Users calendar={calendar} />
      </div>
      <Ownership shown={calendar} target={{ what: 'calendar', name }} onDone={reload} />
    </>
  );
}

function YearPanel({ name }: { readonly name: string }) {
  const requested = Number(route.value.query.get('year'));
  const year = requested >= 1970 && requested <= 2129 ? requested : Number(timeText(serverNow()).slice(0, 4));
  const { data, error } = useOperation('calendars.year', { name, year });
  const show = (next: number) => setQuery({ year: String(next) });
  return (
    <Panel
      title={`${year}`}
      actions={
        <>
          <button type="button" aria-label={`Show ${year - 1}`} onClick={() => show(year - 1)}>
            ‹ {year - 1}
          </button>
          <button type="button" aria-label={`Show ${year + 1}`} onClick={() => show(year + 1)}>
            {year + 1} ›
          </button>
        </>
      }
    >
      {data === null ? <Loading error={error} /> : <Year year={year} {...data} />}
    </Panel>
  );
}

function Users({ calendar: { name, triggers, triggerTotal } }: { readonly calendar: Calendar }) {
  const total = triggerTotal?.count ?? triggers.length;
  return (
    <Panel
      title={`Triggers (${countText(total)})`}
      actions={total > triggers.length && <a href={href(['triggers'], { calendar: name })}>All triggers</a>}
    >
      {triggers.length === 0 && (
        <p class="empty">No triggers use this calendar. Set it in the calendar field of a trigger.</p>
      )}
      <ul class="plain">
        {triggers.map((trigger) => (
          <li key={keyText(trigger)}>
            <TriggerLink trigger={trigger} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function CalendarActions({ calendar: { name, version, triggers } }: { readonly calendar: Calendar }) {
  const remove = () =>
    confirmAction({
      title: `Remove the calendar ${name}?`,
      body:
        triggers.length === 0
          ? 'No triggers use this calendar. Only a declared calendar can be restored, on the Overrides page.'
          : 'Triggers use this calendar, so it cannot be removed. Assign another calendar to these triggers first.',
      confirmLabel: 'Remove calendar',
      isDestructive: true,
      act: () => call('calendars.remove', { name, ifVersion: version }).then(() => go(['calendars'])),
    });
  return (
    <>
      {mayRun('calendars.edit') && (
        <a class="button" href={href(['calendars', name, 'edit'])}>
          Edit
        </a>
      )}
      <ActionButton operation="calendars.remove" act={remove}>
        Remove
      </ActionButton>
    </>
  );
}
