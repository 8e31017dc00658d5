import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { serverNow } from '../state/clock';
import { go, href, place, setQuery } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Panel, Waiting } from '../ui/basics';
import { TYPE_WORDS } from '../ui/calendar-fields';
import { ask } from '../ui/confirm';
import { Deed, mayRun } from '../ui/deeds';
import { DefinitionFacts } from '../ui/definition';
import { countText, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { keyText, TriggerLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { Year } from '../ui/year';

type Calendar = OutputOf<'calendars.show'>;

/** One calendar: what it excludes, seen over a year, and who uses it. */
export function CalendarPage() {
  const [, name = ''] = place.value.path;
  const { data: calendar, error, again } = useOperation('calendars.show', { name });
  if (calendar === null) return <Waiting error={error} />;
  return (
    <>
      <Heading
        title={name}
        crumbs={[['Calendars', ['calendars']]]}
        note={calendar.type !== null && `excludes ${TYPE_WORDS[calendar.type].toLowerCase()}`}
        actions={<Deeds calendar={calendar} />}
      />
      {calendar.description !== null && <p class="lead">{calendar.description}</p>}
      <YearPanel name={name} />
      <div class="panels">
        <Panel title="Definition">
          <DefinitionFacts definition={calendar.definition} />
        </Panel>
        <Users calendar={calendar} />
      </div>
      <Ownership shown={calendar} subject={{ what: 'calendar', name }} onDone={again} />
    </>
  );
}

function YearPanel({ name }: { readonly name: string }) {
  const asked = Number(place.value.query.get('year'));
  const year = asked >= 1970 && asked <= 2129 ? asked : Number(timeText(serverNow()).slice(0, 4));
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
      {data === null ? <Waiting error={error} /> : <Year year={year} {...data} />}
    </Panel>
  );
}

function Users({ calendar: { name, triggers, triggerTotal } }: { readonly calendar: Calendar }) {
  const total = triggerTotal?.count ?? triggers.length;
  return (
    <Panel
      title={`Triggers that pass its times over (${countText(total)})`}
      actions={total > triggers.length && <a href={href(['triggers'], { calendar: name })}>All of them</a>}
    >
      {triggers.length === 0 && <p class="nothing">No trigger refers to it.</p>}
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

function Deeds({ calendar: { name, version, triggers } }: { readonly calendar: Calendar }) {
  const remove = () =>
    ask({
      title: `Remove the calendar ${name}?`,
      body:
        triggers.length === 0
          ? 'No trigger refers to it. This cannot be undone.'
          : 'Triggers refer to it: it cannot be removed before they name another one.',
      deed: 'Remove the calendar',
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
      <Deed operation="calendars.remove" act={remove}>
        Remove
      </Deed>
    </>
  );
}
