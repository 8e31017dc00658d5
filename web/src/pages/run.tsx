import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href, place } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Badge, Copyable, Facts, Panel, Preformatted, State, Time, Waiting } from '../ui/basics';
import { ask } from '../ui/confirm';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { LogLines } from '../ui/log-lines';
import { Table } from '../ui/table';
import { askRetries } from './dead-letters';
import { RUN_COLUMNS } from './runs';

type Run = OutputOf<'runs.show'>;

/** One run: how it ended and why, what its job said, and the other attempts. */
export function RunPage() {
  const [, id = ''] = place.value.path;
  const { data: run, error, again } = useOperation('runs.show', { runId: id });
  if (run === null)
    return (
      <>
        <Heading title={`Run ${id}`} crumbs={[['Runs', ['runs']]]} />
        <Waiting error={error} />
      </>
    );
  return (
    <>
      <Heading title={keyText(run.job)} crumbs={[['Runs', ['runs']]]} actions={<Deeds run={run} onDone={again} />} />
      <section class="panel" aria-label="What is known of the run">
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
      <Panel title="Attempts of this occurrence">
        <Table
          caption="Attempts, the first one first"
          columns={RUN_COLUMNS}
          rows={run.attempts}
          keyOf={(each) => each.runId}
          toneOf={(each) => (each.runId === run.runId ? 'here' : '')}
        />
        {run.hasMoreAttempts && (
          <div class="body">
            <a href={runsOf(run)}>Search all runs of this occurrence</a>
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
      'Began',
      <>
        <Time at={run.fireTime} /> {run.attempt === 1 && <>({durationText(run.latenessMs)} after its scheduled time)</>}
      </>,
    ],
    ['Took', durationText(run.durationMs)],
    ['Node', <Copyable text={run.instanceId} />],
    ['Run id', <Copyable text={run.runId} />],
    [
      'Occurrence',
      <>
        <Copyable text={run.occurrenceId} /> <a href={runsOf(run)}>runs</a>
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
    <Panel title="Returned">
      <div class="body">
        <Preformatted text={JSON.stringify(result, null, 2)} />
      </div>
    </Panel>
  );
}

function Lines({ run: { lines, droppedLines, runId } }: { readonly run: Run }) {
  if (lines.length === 0) return null;
  return (
    <Panel title="What the job logged">
      <LogLines
        lines={lines}
        missed={droppedLines}
        missedBecause="were not kept: a run keeps its newest 64 kB"
        fileName={`run-${runId}.log`}
      />
    </Panel>
  );
}

function Deeds({
  run: { runId, isDeadLetter, canRerun, job },
  onDone,
}: {
  readonly run: Run;
  readonly onDone: () => void;
}) {
  if (!canRerun || !may('operator')) return null;
  const rerun = () =>
    ask({
      title: `Run ${keyText(job)} again?`,
      body: 'At once, with the scheduled time and the data it had, and with all its retries before it.',
      deed: 'Run again',
      isDestructive: false,
      act: () => call('runs.rerun', { runId }).then(onDone),
    });
  const discard = () =>
    ask({
      title: 'Discard this dead letter?',
      body: 'It stays in the history as a failed run, and is no longer listed as a dead letter.',
      deed: 'Discard',
      isDestructive: true,
      act: () => call('deadLetters.discard', { runIds: [runId] }).then(onDone),
    });
  return (
    <>
      <button type="button" class="primary" onClick={rerun}>
        Run again
      </button>
      {isDeadLetter && (
        <>
          <button type="button" onClick={() => askRetries({ runId, job }, onDone)}>
            More attempts
          </button>
          <button type="button" onClick={discard}>
            Discard
          </button>
        </>
      )}
    </>
  );
}
