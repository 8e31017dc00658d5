import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href, route } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Badge, Copyable, Facts, Loading, Panel, Preformatted, State, Time } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { LogLines } from '../ui/log-lines';
import { Table } from '../ui/table';
import { confirmAddAttempts } from './dead-letters';
import { RUN_COLUMNS } from './runs';

type Run = OutputOf<'runs.show'>;

export function RunPage() {
  const [, id = ''] = route.value.path;
  const { data: run, error, reload } = useOperation('runs.show', { runId: id });
  if (run === null)
    return (
      <>
        <Heading title={`Run ${id}`} crumbs={[['Runs', ['runs']]]} />
        <Loading error={error} />
      </>
    );
  return (
    <>
      <Heading
        title={keyText(run.job)}
        crumbs={[['Runs', ['runs']]]}
        actions={<RunActions run={run} onDone={reload} />}
      />
      <section class="panel" aria-label="Run details">
        <Facts facts={factsOf(run)} />
      </section>
      {run.error !== null && (
        <Panel title="Error">
          <div class="body">
            <Preformatted text={run.stack ?? run.error} />
          </div>
        </Panel>
      )}
      <Result run={run} />
      <Lines run={run} />
      <Panel title="Attempts">
        <Table
          caption="Attempts of this occurrence, first to last"
          columns={RUN_COLUMNS}
          rows={run.attempts}
          keyOf={(each) => each.runId}
          toneOf={(each) => (each.runId === run.runId ? 'here' : '')}
        />
        {run.hasMoreAttempts && (
          <div class="body">
            <a href={runsOf(run)}>Show all runs of this occurrence</a>
          </div>
        )}
      </Panel>
    </>
  );
}

function runsOf({ trigger: { group, name }, occurrenceId: occurrence }: Run): string {
  return href(['runs'], { trigger: name, triggerGroup: group, occurrence });
}

function factsOf(run: Run): Parameters<typeof Facts>[0]['facts'] {
  const { shard, summary, metrics } = run;
  return [
    [
      'Outcome',
      <>
        <State of={run.outcome} /> {run.isDeadLetter && <Badge tone="bad">dead letter</Badge>}
      </>,
    ],
    ['Job', <JobLink job={run.job} />],
    ['Trigger', <TriggerLink trigger={run.trigger} />],
    ['Attempt', run.attempt],
    ['Scheduled', <Time at={run.scheduledFireTime} />],
    [
      'Started',
      <>
        <Time at={run.fireTime} /> {run.attempt === 1 && <>(lateness {durationText(run.latenessMs)})</>}
      </>,
    ],
    ['Duration', durationText(run.durationMs)],
    ['Node', <Copyable text={run.instanceId} />],
    ['Run ID', <Copyable text={run.runId} />],
    [
      'Occurrence',
      <>
        <Copyable text={run.occurrenceId} /> <a href={runsOf(run)}>Show runs</a>
      </>,
    ],
    ...(shard === null ? [] : [['Part', `${shard.index + 1} of ${shard.count}`] as const]),
    ...(summary === null ? [] : [['Summary', summary] as const]),
    ...Object.entries(metrics).map(([name, value]) => [name, value.toLocaleString('en-US')] as const),
  ];
}

function Result({ run: { result, resultOmitted } }: { readonly run: Run }) {
  if (resultOmitted !== null) return <p class="notice">{resultOmitted}</p>;
  if (result === null) return null;
  return (
    <Panel title="Result">
      <div class="body">
        <Preformatted text={JSON.stringify(result, null, 2)} />
      </div>
    </Panel>
  );
}

function Lines({ run: { lines, droppedLines, runId } }: { readonly run: Run }) {
  if (lines.length === 0) return null;
  return (
    <Panel title="Log">
      <LogLines
        lines={lines}
        missed={droppedLines}
        missedBecause="a run keeps only its newest 64 kB"
        fileName={`run-${runId}.log`}
      />
    </Panel>
  );
}

function RunActions({
  run: { runId, isDeadLetter, canRerun, job },
  onDone,
}: {
  readonly run: Run;
  readonly onDone: () => void;
}) {
  if (!canRerun || !may('operator')) return null;
  const rerun = () =>
    confirmAction({
      title: `Rerun ${keyText(job)}?`,
      body: 'Runs the job again immediately, with the same scheduled time, the same data and the full retries of its policy. This cannot be undone, but you can interrupt the run.',
      confirmLabel: 'Rerun',
      isDestructive: false,
      act: () => call('runs.rerun', { runId }).then(onDone),
    });
  const discard = () =>
    confirmAction({
      title: 'Discard this dead letter?',
      body: 'Removes the run from the dead letters. It stays in the history as failed until its retention ends. This cannot be undone.',
      confirmLabel: 'Discard',
      isDestructive: true,
      act: () => call('deadLetters.discard', { runIds: [runId] }).then(onDone),
    });
  return (
    <>
      <button type="button" class="primary" onClick={rerun}>
        Rerun
      </button>
      {isDeadLetter && (
        <>
          <button type="button" onClick={() => confirmAddAttempts({ runId, job }, onDone)}>
            Add attempts
          </button>
          <button type="button" onClick={discard}>
            Discard
          </button>
        </>
      )}
    </>
  );
}
