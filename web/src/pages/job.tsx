import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { go, href, place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Away, Panel, Trouble, Waiting } from '../ui/basics';
import { ask } from '../ui/confirm';
import { askPause, Deed, jsonOf, mayRun, textOf } from '../ui/deeds';
import { DefinitionFacts } from '../ui/definition';
import { countText, durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { keyText, RunLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { RunHistory } from '../ui/run-history';
import { Table } from '../ui/table';
import { JobFlags } from './jobs';
import { TRIGGER_COLUMNS } from './triggers';

type Job = OutputOf<'jobs.show'>;

/** One job: what it is, what fires it, and how its runs went. */
export function JobPage() {
  const [, group = '', name = ''] = place.value.path;
  const { data: job, error, again } = useOperation('jobs.show', { group, name });
  if (job === null)
    return (
      <>
        <Heading title={keyText({ group, name })} crumbs={[['Jobs', ['jobs']]]} />
        <Waiting error={error} />
      </>
    );
  return (
    <>
      <Heading
        title={keyText(job.key)}
        crumbs={[['Jobs', ['jobs']]]}
        note={<JobFlags job={job} />}
        actions={<Deeds job={job} onDone={again} />}
      />
      {job.description !== null && <p class="lead">{job.description}</p>}
      <Trouble error={job.unreadable === null ? error : new Error(job.unreadable)} />
      <Figures job={job} />
      <Triggers job={job} />
      <RunHistory of={{ job: name, jobGroup: group }} />
      <Panel
        title="Definition"
        actions={
          mayRun('jobs.edit') && (
            <a class="button" href={href(['jobs', group, name, 'edit'])}>
              Edit
            </a>
          )
        }
      >
        <DefinitionFacts definition={job.definition} />
      </Panel>
      <Ownership shown={job} subject={{ what: 'job', group, name }} onDone={again} />
    </>
  );
}

function Figures({ job: { status, triggers } }: { readonly job: Job }) {
  const { lastRun, lastSuccess, failuresInARow, runs, durationMs, latenessMs, nextFireTime } = status;
  const isPaused = triggers.some(({ state }) => state.startsWith('PAUSED'));
  return (
    <div class="strip">
      <div class="measure">
        <b>
          <Away at={nextFireTime} missing={isPaused ? 'paused' : 'never'} />
        </b>
        <span>fires next</span>
      </div>
      <div class="measure">
        <b>{lastRun === null ? '–' : <Away at={lastRun.endTime} />}</b>
        <span>last run {lastRun !== null && <RunLink id={lastRun.runId}>{lastRun.outcome}</RunLink>}</span>
      </div>
      <div class="measure">
        <b>{lastSuccess === null ? '–' : <Away at={lastSuccess.endTime} />}</b>
        <span>last success</span>
      </div>
      <div class={`measure ${failuresInARow > 0 ? 'bad' : ''}`}>
        <b>{countText(failuresInARow)}</b>
        <span>{failuresInARow === 1 ? 'failure' : 'failures'} in a row</span>
      </div>
      <Spread name="duration" of={durationMs} runs={runs} />
      <Spread name="lateness" of={latenessMs} runs={runs} />
    </div>
  );
}

function Spread({
  name,
  of: { p50, p95, p99 },
  runs,
}: {
  readonly name: string;
  readonly of: Job['status']['durationMs'];
  readonly runs: number;
}) {
  const text = (value: number | null) => (value === null ? '–' : durationText(value));
  return (
    <div class="measure" title={`Of the newest ${runs} recorded runs`}>
      <b>{text(p50)}</b>
      <span>
        median {name}
        <br />
        p95 {text(p95)} · p99 {text(p99)}
      </span>
    </div>
  );
}

function Triggers({ job }: { readonly job: Job }) {
  const { group, name } = job.key;
  const total = job.triggerTotal?.count ?? job.triggers.length;
  return (
    <Panel
      title={`Triggers (${countText(total)})`}
      actions={
        <>
          {total > job.triggers.length && <a href={href(['triggers'], { job: name, jobGroup: group })}>All of them</a>}
          {mayRun('triggers.add') && (
            <a class="button" href={href(['new-trigger'], { job: name, jobGroup: group })}>
              New trigger
            </a>
          )}
        </>
      }
    >
      {job.triggers.length === 0 ? (
        <p class="nothing">Nothing fires it by itself. It can be fired from here, and by other jobs.</p>
      ) : (
        <Table
          caption="Its triggers, by next fire time"
          columns={TRIGGER_COLUMNS.filter(({ name: column }) => column !== 'Job')}
          rows={job.triggers}
          keyOf={({ key }) => keyText(key)}
        />
      )}
    </Panel>
  );
}

function Deeds({ job, onDone }: { readonly job: Job; readonly onDone: () => void }) {
  const { key } = job;
  const text = keyText(key);
  const mayBePaused = job.triggers.some(({ state }) => !state.startsWith('PAUSED'));
  const isPaused = job.triggers.some(({ state }) => state.startsWith('PAUSED'));
  return (
    <>
      <Deed operation="jobs.fire" act={() => askFire(key, onDone)} isPrimary>
        Fire now
      </Deed>
      {mayBePaused && (
        <Deed
          operation="jobs.pause"
          act={() =>
            askPause(`Pause all triggers of ${text}?`, (said) => call('jobs.pause', { ...key, ...said }).then(onDone))
          }
        >
          Pause
        </Deed>
      )}
      {isPaused && (
        <Deed operation="jobs.resume" act={() => call('jobs.resume', key).then(onDone)}>
          Resume
        </Deed>
      )}
      <Deed operation="jobs.interrupt" act={() => askInterrupt(key, onDone)}>
        Interrupt
      </Deed>
      <Deed operation="jobs.remove" act={() => askRemove(job)}>
        Remove
      </Deed>
    </>
  );
}

function askFire(key: Job['key'], onDone: () => void): void {
  ask({
    title: `Fire ${keyText(key)} now?`,
    body: (
      <>
        <p>Once, beside its triggers, on a node that may run it.</p>
        <label class="field">
          <span>Data of this run</span>
          <textarea name="data" rows={4} spellcheck={false} placeholder="{ }" />
          <small>JSON; it overrides that of the job. Empty: that of the job alone.</small>
        </label>
      </>
    ),
    deed: 'Fire now',
    isDestructive: false,
    act: async (said) => {
      const text = textOf(said, 'data');
      const data = text === undefined ? {} : { data: jsonOf(text, 'data') as Record<string, unknown> };
      await call('jobs.fire', { ...key, ...data });
      onDone();
    },
  });
}

function askInterrupt(key: Job['key'], onDone: () => void): void {
  ask({
    title: `Interrupt all runs of ${keyText(key)}?`,
    body: 'Their signals are aborted, on every node. A job that does not listen to it goes on.',
    deed: 'Interrupt',
    isDestructive: true,
    act: () => call('jobs.interrupt', key).then(onDone),
  });
}

function askRemove({ key, version, triggers }: Job): void {
  ask({
    title: `Remove ${keyText(key)}?`,
    body: `The job and ${triggers.length === 0 ? 'its data' : 'all its triggers'} are deleted. Its waiting retries and recoveries become dead letters. Runs in progress continue, and recorded runs stay. This cannot be undone.`,
    deed: 'Remove the job',
    isDestructive: true,
    act: () => call('jobs.remove', { ...key, ifVersion: version }).then(() => go(['jobs'])),
  });
}
