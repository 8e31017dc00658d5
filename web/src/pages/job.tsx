import { isPaused } from '../../../src/domain/trigger-state';
import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { go, href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { ActionButton, mayRun } from '../ui/action-button';
import { ErrorMessage, Loading, Panel, RelativeTime } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { DefinitionFacts } from '../ui/definition';
import { formText, parseJson } from '../ui/form';
import { countText, durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { keyText, RunLink } from '../ui/links';
import { Ownership } from '../ui/ownership';
import { confirmPause } from '../ui/pause-form';
import { RunHistory } from '../ui/run-history';
import { Table } from '../ui/table';
import { JobFlags } from './jobs';
import { TRIGGER_COLUMNS } from './triggers';

type Job = OutputOf<'jobs.show'>;

export function JobPage() {
  const [, group = '', name = ''] = route.value.path;
  const { data: job, error, reload } = useOperation('jobs.show', { group, name });
  if (job === null)
    return (
      <>
        <Heading title={keyText({ group, name })} crumbs={[['Jobs', ['jobs']]]} />
        <Loading error={error} />
      </>
    );
  return (
    <>
      <Heading
        title={keyText(job.key)}
        crumbs={[['Jobs', ['jobs']]]}
        note={<JobFlags job={job} />}
        actions={<JobActions job={job} onDone={reload} />}
      />
      {job.description !== null && <p class="lead">{job.description}</p>}
      <ErrorMessage error={job.unreadable === null ? error : new Error(job.unreadable)} />
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
      <Ownership shown={job} target={{ what: 'job', group, name }} onDone={reload} />
    </>
  );
}

function Figures({ job: { status, triggers } }: { readonly job: Job }) {
  const { lastRun, lastSuccess, failuresInARow, runs, durationMs, latenessMs, nextFireTime } = status;
  const hasPaused = triggers.some(({ state }) => isPaused(state));
  return (
    <div class="strip">
      <div class="figure">
        <b>
          <RelativeTime at={nextFireTime} missing={hasPaused ? 'paused' : 'never'} />
        </b>
        <span>next fire time</span>
      </div>
      <div class="figure">
        <b>{lastRun === null ? '–' : <RelativeTime at={lastRun.endTime} />}</b>
        <span>last run {lastRun !== null && <RunLink id={lastRun.runId}>{lastRun.outcome}</RunLink>}</span>
      </div>
      <div class="figure">
        <b>{lastSuccess === null ? '–' : <RelativeTime at={lastSuccess.endTime} />}</b>
        <span>last success</span>
      </div>
      <div class={`figure ${failuresInARow > 0 ? 'bad' : ''}`}>
        <b>{countText(failuresInARow)}</b>
        <span>{failuresInARow === 1 ? 'failure' : 'failures'} in a row</span>
      </div>
      <Percentiles name="duration" of={durationMs} runs={runs} />
      <Percentiles name="lateness" of={latenessMs} runs={runs} />
    </div>
  );
}

function Percentiles({
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
    <div class="figure" title={`From the newest ${runs} recorded runs`}>
      <b>{text(p50)}</b>
      <span>
        p50 {name}
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
          {total > job.triggers.length && <a href={href(['triggers'], { job: name, jobGroup: group })}>All triggers</a>}
          {mayRun('triggers.add') && (
            <a class="button" href={href(['new-trigger'], { job: name, jobGroup: group })}>
              New trigger
            </a>
          )}
        </>
      }
    >
      {job.triggers.length === 0 ? (
        <p class="empty">No triggers. Add one with New trigger, or fire the job with Fire now.</p>
      ) : (
        <Table
          caption="Triggers of the job, by next fire time"
          columns={TRIGGER_COLUMNS.filter(({ name: column }) => column !== 'Job')}
          rows={job.triggers}
          keyOf={({ key }) => keyText(key)}
        />
      )}
    </Panel>
  );
}

function JobActions({ job, onDone }: { readonly job: Job; readonly onDone: () => void }) {
  const { key } = job;
  const text = keyText(key);
  const mayBePaused = job.triggers.some(({ state }) => !isPaused(state));
  const hasPaused = job.triggers.some(({ state }) => isPaused(state));
  return (
    <>
      <ActionButton operation="jobs.fire" act={() => confirmFire(key, onDone)} isPrimary>
        Fire now
      </ActionButton>
      {mayBePaused && (
        <ActionButton
          operation="jobs.pause"
          act={() =>
            confirmPause(`Pause all triggers of ${text}?`, (options) =>
              call('jobs.pause', { ...key, ...options }).then(onDone),
            )
          }
        >
          Pause
        </ActionButton>
      )}
      {hasPaused && (
        <ActionButton operation="jobs.resume" act={() => call('jobs.resume', key).then(onDone)}>
          Resume
        </ActionButton>
      )}
      <ActionButton operation="jobs.interrupt" act={() => confirmInterrupt(key, onDone)}>
        Interrupt
      </ActionButton>
      <ActionButton operation="jobs.remove" act={() => confirmRemove(job)}>
        Remove
      </ActionButton>
    </>
  );
}

function confirmFire(key: Job['key'], onDone: () => void): void {
  confirmAction({
    title: `Fire ${keyText(key)} now?`,
    body: (
      <>
        <p>Runs the job once, in addition to its triggers. This cannot be undone, but the run can be interrupted.</p>
        <label class="field">
          <span>Run data</span>
          <textarea name="data" rows={4} spellcheck={false} placeholder="{ }" />
          <small>JSON object. For this run, its entries override the job data.</small>
        </label>
      </>
    ),
    confirmLabel: 'Fire now',
    isDestructive: false,
    act: async (form) => {
      const text = formText(form, 'data');
      const data = text === undefined ? {} : { data: parseJson(text, 'data') as Record<string, unknown> };
      await call('jobs.fire', { ...key, ...data });
      onDone();
    },
  });
}

function confirmInterrupt(key: Job['key'], onDone: () => void): void {
  confirmAction({
    title: `Interrupt all runs of ${keyText(key)}?`,
    body: 'Sends an abort signal to every run, on all nodes. A job that ignores the signal keeps running. This cannot be undone.',
    confirmLabel: 'Interrupt',
    isDestructive: true,
    act: () => call('jobs.interrupt', key).then(onDone),
  });
}

function confirmRemove({ key, version, triggers }: Job): void {
  confirmAction({
    title: `Remove ${keyText(key)}?`,
    body: `Deletes the job and ${triggers.length === 0 ? 'its data' : 'all its triggers'}. Waiting retries and recoveries become dead letters. Runs in progress continue, and recorded runs are kept. Only a declared job can be restored, on the Overrides page. Its waiting runs cannot be restored.`,
    confirmLabel: 'Remove job',
    isDestructive: true,
    act: () => call('jobs.remove', { ...key, ifVersion: version }).then(() => go(['jobs'])),
  });
}
