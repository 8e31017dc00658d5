import { isComplete, isInError, isPaused } from '../../../src/domain/trigger-state';
import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { go, href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { ActionButton, mayRun } from '../ui/action-button';
import { Copyable, ErrorMessage, Loading, Panel, RelativeTime, Sentence, Time } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { DefinitionFacts } from '../ui/definition';
import { FireTimes } from '../ui/fire-times';
import { formText } from '../ui/form';
import { instantOf, timeText } from '../ui/format';
import { Heading } from '../ui/frame';
import { CalendarLink, JobLink, keyText, RunLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { confirmPause } from '../ui/pause-form';
import { RunHistory } from '../ui/run-history';
import { NextTime, TriggerState } from './triggers';

type Trigger = OutputOf<'triggers.show'>;

export function TriggerPage() {
  const [, group = '', name = ''] = route.value.path;
  const { data: trigger, error, reload } = useOperation('triggers.show', { group, name, count: 20 });
  if (trigger === null)
    return (
      <>
        <Heading title={keyText({ group, name })} crumbs={[['Triggers', ['triggers']]]} />
        <Loading error={error} />
      </>
    );
  const ownership = <Ownership shown={trigger} target={{ what: 'trigger', group, name }} onDone={reload} />;
  return (
    <>
      <Heading
        title={keyText(trigger.key)}
        crumbs={[['Triggers', ['triggers']]]}
        note={<TriggerState trigger={{ ...trigger, pause: null }} />}
        actions={<TriggerActions trigger={trigger} onDone={reload} />}
      />
      {trigger.description !== null && <p class="lead">{trigger.description}</p>}
      <ErrorMessage error={trigger.unreadable === null ? error : new Error(trigger.unreadable)} />
      <PauseNotice trigger={trigger} />
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
        <Panel title={trigger.pause?.until ? 'Fire times after pause' : 'Next fire times'}>
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
    ['Schedule', schedule],
    ['Next fire time', <NextTime key="next" of={trigger} />],
    ['Last fire time', <RelativeTime key="last" at={previousFireTime} missing="never" />],
    ...(timesTriggered === null ? [] : [['Times fired', timesTriggered] as const]),
    ['Start time', <Time key="start" at={startTime} />],
    ...(calendar === null ? [] : [['Excludes', <CalendarLink key="calendar" name={calendar} />] as const]),
    ['Key', <Copyable key="key" text={`${trigger.key.group}/${trigger.key.name}`} />],
  ];
}

function emptyText({ kind, state, nextFireTime }: Trigger): string {
  if (isInError(state)) return 'No fire times in the state ERROR. Reset the trigger to let it fire again.';
  if (isPaused(state)) return 'No fire times while paused. Resume the trigger to see them.';
  if (kind === 'after') return 'Fires when the jobs that it waits for have ended.';
  return nextFireTime === null
    ? 'No fire times left. Edit the schedule to add fire times.'
    : 'This node cannot read the schedule of the trigger.';
}

function PauseNotice({ trigger: { key, state, pause, pauseText } }: { readonly trigger: Trigger }) {
  if (isInError(state)) return <ErrorNotice of={key} />;
  if (pauseText === null) return null;
  if (pause === null) return <p class="notice">{pauseText}. No reason was given.</p>;
  const { reason, by, since, until } = pause;
  return (
    <p class="notice">
      {pauseText}
      {by !== null && ` by ${by}`} (<RelativeTime at={since} />){reason !== null && <>: {reason}</>}
      {until !== null && (
        <>
          {' '}
          – until <Time at={until} />
        </>
      )}
    </p>
  );
}

/** Notice about the state ERROR. Shows the last failed run, which is usually the cause. */
function ErrorNotice({ of: { group, name } }: { readonly of: Trigger['key'] }) {
  const runs = useOperation('runs.list', { trigger: name, triggerGroup: group, outcome: ['failed'], limit: 1 });
  const last = runs.data?.items[0];
  return (
    <div class="notice bad">
      This trigger is in the state ERROR. It does not fire until you reset it.{' '}
      {last === undefined ? (
        'For the cause, see the log of the node that last fired this trigger.'
      ) : (
        <>
          Last failure <RunLink id={last.runId}>{timeText(last.endTime)}</RunLink>: {last.error ?? 'no message'}
        </>
      )}
    </div>
  );
}

function Reasons({ of }: { readonly of: Trigger['key'] }) {
  const { data, error } = useOperation('triggers.explain', of);
  // The notice above shows these reasons in more detail.
  const reasons = data?.reasons.filter(({ code }) => code !== 'paused' && code !== 'error') ?? [];
  if (reasons.length === 0) return <ErrorMessage error={error} />;
  return (
    <Panel title="Not firing because">
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

function TriggerActions({ trigger, onDone }: { readonly trigger: Trigger; readonly onDone: () => void }) {
  const { key, state, kind } = trigger;
  const text = keyText(key);
  const paused = isPaused(state);
  return (
    <>
      {isInError(state) && (
        <ActionButton operation="triggers.reset" isPrimary act={() => call('triggers.reset', key).then(onDone)}>
          Reset
        </ActionButton>
      )}
      {paused && (
        <ActionButton operation="triggers.resume" isPrimary act={() => call('triggers.resume', key).then(onDone)}>
          Resume
        </ActionButton>
      )}
      {!paused && !isComplete(state) && (
        <ActionButton
          operation="triggers.pause"
          act={() =>
            confirmPause(`Pause ${text}?`, (options) => call('triggers.pause', { ...key, ...options }).then(onDone))
          }
        >
          Pause
        </ActionButton>
      )}
      {kind !== 'after' && (
        <ActionButton operation="backfills.add" act={() => confirmBackfill(key, onDone)}>
          Backfill
        </ActionButton>
      )}
      <ActionButton operation="triggers.remove" act={() => confirmRemove(trigger)}>
        Remove
      </ActionButton>
    </>
  );
}

function confirmBackfill(key: Trigger['key'], onDone: () => void): void {
  confirmAction({
    title: `Backfill ${keyText(key)}?`,
    body: (
      <>
        <p>Runs every fire time in a past range once. To cancel runs that have not started, drop the backfill.</p>
        <label class="field">
          <span>From</span>
          <input name="from" type="datetime-local" required />
        </label>
        <label class="field">
          <span>To</span>
          <input name="to" type="datetime-local" required />
          <small>Exclusive: a fire time at this time does not run.</small>
        </label>
        <label class="field">
          <span>Spacing</span>
          <input name="spacing" placeholder="PT10S" />
          <small>Delay between two runs. Leave empty to start all runs immediately.</small>
        </label>
      </>
    ),
    confirmLabel: 'Backfill',
    isDestructive: false,
    act: (form) =>
      call('backfills.add', {
        ...key,
        from: instantOf(String(form.get('from'))),
        to: instantOf(String(form.get('to'))),
        spacing: formText(form, 'spacing'),
      }).then(onDone),
  });
}

function confirmRemove({ key, version }: Trigger): void {
  confirmAction({
    title: `Remove ${keyText(key)}?`,
    body: 'Deletes the trigger, and its job if the job is not durable and has no other trigger. Waiting retries and recoveries become dead letters. Deferred runs are dropped. Runs in progress continue. Only a declared trigger can be restored, on the Overrides page. Its waiting runs cannot be restored.',
    confirmLabel: 'Remove trigger',
    isDestructive: true,
    act: () => call('triggers.remove', { ...key, ifVersion: version }).then(() => go(['triggers'])),
  });
}
