import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { go, href, place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Away, Copyable, Panel, Sentence, Time, Trouble, Waiting } from '../ui/basics';
import { ask } from '../ui/confirm';
import { askPause, Deed, mayRun, textOf } from '../ui/deeds';
import { DefinitionFacts } from '../ui/definition';
import { FireTimes } from '../ui/fire-times';
import { instantOf, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { CalendarLink, JobLink, keyText, RunLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { RunHistory } from '../ui/run-history';
import { NextTime, TriggerState } from './triggers';

type Trigger = OutputOf<'triggers.show'>;

/** One trigger: when it fires, how it is, and what it fired. */
export function TriggerPage() {
  const [, group = '', name = ''] = place.value.path;
  const { data: trigger, error, again } = useOperation('triggers.show', { group, name, count: 20 });
  if (trigger === null)
    return (
      <>
        <Heading title={keyText({ group, name })} crumbs={[['Triggers', ['triggers']]]} />
        <Waiting error={error} />
      </>
    );
  const ownership = <Ownership shown={trigger} subject={{ what: 'trigger', group, name }} onDone={again} />;
  return (
    <>
      <Heading
        title={keyText(trigger.key)}
        crumbs={[['Triggers', ['triggers']]]}
        note={<TriggerState trigger={{ ...trigger, pause: null }} />}
        actions={<Deeds trigger={trigger} onDone={again} />}
      />
      {trigger.description !== null && <p class="lead">{trigger.description}</p>}
      <Trouble error={trigger.unreadable === null ? error : new Error(trigger.unreadable)} />
      <Stop trigger={trigger} />
      <Reasons of={trigger.key} />
      {trigger.override !== null && ownership}
      <div class="panels">
        <Panel
          title="Definition"
          actions={
            mayRun('triggers.edit') && (
              <a class="button" href={href(['triggers', group, name, 'edit'])}>
                Edit
              </a>
            )
          }
        >
          <DefinitionFacts definition={trigger.definition} more={factsOf(trigger)} />
        </Panel>
        <Panel title={trigger.pause?.until ? 'Fires after the pause' : 'Fires next'}>
          <FireTimes times={trigger.fireTimes} empty={emptyText(trigger)} />
        </Panel>
      </div>
      {trigger.override === null && ownership}
      <RunHistory of={{ trigger: name, triggerGroup: group }} />
    </>
  );
}

function factsOf(trigger: Trigger): NonNullable<Parameters<typeof DefinitionFacts>[0]['more']> {
  const { job, schedule, previousFireTime, timesTriggered, calendar, startTime } = trigger;
  return [
    ['Job', <JobLink key="job" job={job} />],
    ['Fires', schedule],
    ['Next', <NextTime key="next" of={trigger} />],
    ['Last', <Away key="last" at={previousFireTime} missing="not yet" />],
    ...(timesTriggered === null ? [] : [['Fired so far', timesTriggered] as const]),
    ['Since', <Time key="since" at={startTime} />],
    ...(calendar === null ? [] : [['Without the times of', <CalendarLink key="calendar" name={calendar} />] as const]),
    ['Key', <Copyable key="key" text={`${trigger.key.group}/${trigger.key.name}`} />],
  ];
}

function emptyText({ kind, state, nextFireTime }: Trigger): string {
  if (state === 'ERROR') return 'No fire times while it is in error. Reset it to let it fire again.';
  if (state.startsWith('PAUSED')) return 'No fire times while it is paused. Resume it to see them.';
  if (kind === 'after') return 'It fires when the jobs it waits for have ended.';
  return nextFireTime === null ? 'No fire time is left.' : 'This node cannot read its schedule.';
}

/** Why it does not fire at the moment, and what ends that. */
function Stop({ trigger: { key, state, pause, pauseText } }: { readonly trigger: Trigger }) {
  if (state === 'ERROR') return <InError of={key} />;
  if (pauseText === null) return null;
  if (pause === null) return <p class="notice">{pauseText}. No reason was given.</p>;
  const { reason, by, since, until } = pause;
  return (
    <p class="notice">
      {pauseText}
      {by !== null && ` by ${by}`} <Away at={since} />
      {reason !== null && <>: {reason}</>}
      {until !== null && (
        <>
          {' '}
          – until <Time at={until} />
        </>
      )}
    </p>
  );
}

/** The last failure is usually what put it in error: the reader should not have to look for it. */
function InError({ of: { group, name } }: { readonly of: Trigger['key'] }) {
  const runs = useOperation('runs.list', { trigger: name, triggerGroup: group, outcome: ['failed'], limit: 1 });
  const last = runs.data?.items[0];
  return (
    <div class="notice bad">
      In error: it does not fire until it is reset.{' '}
      {last === undefined ? (
        'The log of the node that fired it last holds the reason.'
      ) : (
        <>
          Last failure <RunLink id={last.runId}>{timeText(last.endTime)}</RunLink>: {last.error ?? 'no message'}
        </>
      )}
    </div>
  );
}

/** Why it does not fire at this moment: what counts most comes first. */
function Reasons({ of }: { readonly of: Trigger['key'] }) {
  const { data, error } = useOperation('triggers.explain', of);
  // Of these a notice says more.
  const reasons = data?.reasons.filter(({ code }) => code !== 'paused' && code !== 'error') ?? [];
  if (reasons.length === 0) return <Trouble error={error} />;
  return (
    <Panel title="Why it does not fire now">
      <ul class="body">
        {reasons.map(({ code, text }) => (
          <li key={code}>
            <Sentence>{text}</Sentence>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Deeds({ trigger, onDone }: { readonly trigger: Trigger; readonly onDone: () => void }) {
  const { key, state, kind } = trigger;
  const text = keyText(key);
  const isPaused = state.startsWith('PAUSED');
  return (
    <>
      {state === 'ERROR' && (
        <Deed operation="triggers.reset" isPrimary act={() => call('triggers.reset', key).then(onDone)}>
          Reset
        </Deed>
      )}
      {isPaused && (
        <Deed operation="triggers.resume" isPrimary act={() => call('triggers.resume', key).then(onDone)}>
          Resume
        </Deed>
      )}
      {!isPaused && state !== 'COMPLETE' && (
        <Deed
          operation="triggers.pause"
          act={() => askPause(`Pause ${text}?`, (said) => call('triggers.pause', { ...key, ...said }).then(onDone))}
        >
          Pause
        </Deed>
      )}
      {kind !== 'after' && (
        <Deed operation="backfills.add" act={() => askBackfill(key, onDone)}>
          Backfill
        </Deed>
      )}
      <Deed operation="triggers.remove" act={() => askRemove(trigger)}>
        Remove
      </Deed>
    </>
  );
}

function askBackfill(key: Trigger['key'], onDone: () => void): void {
  ask({
    title: `Backfill ${keyText(key)}?`,
    body: (
      <>
        <p>Its fire times between two instants run, each as a firing of its own.</p>
        <label class="field">
          <span>From</span>
          <input name="from" type="datetime-local" required />
        </label>
        <label class="field">
          <span>To</span>
          <input name="to" type="datetime-local" required />
          <small>Times before this one.</small>
        </label>
        <label class="field">
          <span>Spacing</span>
          <input name="spacing" placeholder="PT10S" />
          <small>How far apart they run. Empty: all at once.</small>
        </label>
      </>
    ),
    deed: 'Backfill',
    isDestructive: false,
    act: (said) =>
      call('backfills.add', {
        ...key,
        from: instantOf(String(said.get('from'))),
        to: instantOf(String(said.get('to'))),
        spacing: textOf(said, 'spacing'),
      }).then(onDone),
  });
}

function askRemove({ key, version }: Trigger): void {
  ask({
    title: `Remove ${keyText(key)}?`,
    body: 'It fires no more. Its waiting retries and recoveries become dead letters, and deferred runs are dropped; runs in progress continue. Its job is deleted too if that is not durable and has no other trigger. This cannot be undone.',
    deed: 'Remove the trigger',
    isDestructive: true,
    act: () => call('triggers.remove', { ...key, ifVersion: version }).then(() => go(['triggers'])),
  });
}
