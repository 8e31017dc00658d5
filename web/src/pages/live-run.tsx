import { useRef } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { type RunOutput, useRunLines } from '../state/use-run-lines';
import { Badge, Copyable, EmptyState, ErrorMessage, Facts, Panel, Time } from '../ui/basics';
import { Heading } from '../ui/frame';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { LogLines } from '../ui/log-lines';
import { Interrupt, InterruptNote, Progress } from './running';

type Firing = OutputOf<'firings.list'>['items'][number];

export function LiveRunPage() {
  const [, id = ''] = route.value.path;
  const output = useRunLines(id);
  const firings = useOperation('firings.list', { limit: 1_000 });
  const last = useRef<Firing | null>(null);
  const found = firings.data?.items.find(({ runId }) => runId === id);
  if (found !== undefined) last.current = found;
  const firing = last.current?.runId === id ? last.current : null;
  const hasEnded = output.state === 'ended' || output.state === 'gone';
  return (
    <>
      <Heading
        title={firing === null ? id : keyText(firing.job)}
        crumbs={[['Running', ['running']]]}
        actions={firing !== null && !hasEnded && <Interrupt firing={firing} onDone={firings.reload} />}
      />
      <ErrorMessage error={firings.error} />
      <section class="panel" aria-label="Run status">
        <Facts facts={factsOf(id, firing, output)} />
        {hasEnded && <Ended id={id} />}
      </section>
      <Panel title="Log">
        {output.lines.length === 0 && output.missed === 0 && (
          <EmptyState>No log lines yet. Lines that the job logs appear here.</EmptyState>
        )}
        <div role="log" aria-label="Log lines">
          <LogLines
            lines={output.lines}
            missed={output.missed}
            missedBecause="this page shows only the newest 2,000"
            fileName={`run-${id}.log`}
          />
        </div>
      </Panel>
    </>
  );
}

const STATES = {
  open: ['busy', 'running'],
  lost: ['warn', 'disconnected'],
  ended: ['quiet', 'ended'],
  gone: ['quiet', 'not running'],
} as const;

function factsOf(
  id: string,
  firing: Firing | null,
  { state, progress }: RunOutput,
): Parameters<typeof Facts>[0]['facts'] {
  const [tone, word] = STATES[state];
  const ofFiring = firing && [
    ['Job', <JobLink job={firing.job} />] as const,
    ['Trigger', <TriggerLink trigger={firing.trigger} />] as const,
    ['Started', <Time at={firing.fireTime} />] as const,
    ['Node', <Copyable text={firing.instanceId} />] as const,
  ];
  return [
    [
      'State',
      <>
        <Badge tone={tone}>{word}</Badge>
        {firing !== null && state === 'open' && <InterruptNote firing={firing} />}
      </>,
    ],
    ['Progress', <Progress of={progress ?? firing?.progress ?? null} />],
    ...(ofFiring ?? []),
    ['Run ID', <Copyable text={id} />],
  ];
}

/** Link to the record of an ended run. Without a record, a note that the run has ended. */
function Ended({ id }: { readonly id: string }) {
  const run = useOperation('runs.show', { runId: id });
  if (run.data === null)
    return <EmptyState>The run has ended. If it was recorded, it is listed under Runs.</EmptyState>;
  return (
    <p class="body">
      The run has ended. <a href={href(['runs', id])}>Show its record</a>
    </p>
  );
}
