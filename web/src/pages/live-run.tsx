import { useRef } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { href, place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { type RunLines, useRunLines } from '../state/use-run-lines';
import { Badge, Copyable, Facts, Nothing, Panel, Time, Trouble } from '../ui/basics';
import { Heading } from '../ui/frame';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { LogLines } from '../ui/log-lines';
import { AskedToStop, Interrupt, Progress } from './running';

type Firing = OutputOf<'firings.list'>['items'][number];

/** A run that goes on: how far it is, and what its job says, as it says it. */
export function LiveRunPage() {
  const [, id = ''] = place.value.path;
  const said = useRunLines(id);
  const firings = useOperation('firings.list', { limit: 1_000 });
  const last = useRef<Firing | null>(null);
  const found = firings.data?.items.find(({ runId }) => runId === id);
  if (found !== undefined) last.current = found;
  const firing = last.current?.runId === id ? last.current : null;
  const isOver = said.state === 'ended' || said.state === 'gone';
  return (
    <>
      <Heading
        title={firing === null ? id : keyText(firing.job)}
        crumbs={[['Running', ['running']]]}
        actions={firing !== null && !isOver && <Interrupt firing={firing} onDone={firings.again} />}
      />
      <Trouble error={firings.error} />
      <section class="panel" aria-label="How far it is">
        <Facts facts={factsOf(id, firing, said)} />
        {isOver && <Ended id={id} />}
      </section>
      <Panel title="What the job logs">
        {said.lines.length === 0 && said.missed === 0 && <Nothing>It has logged nothing yet.</Nothing>}
        <div role="log" aria-label="Lines">
          <LogLines
            lines={said.lines}
            missed={said.missed}
            missedBecause="are not shown: this page keeps the newest 2,000"
            fileName={`run-${id}.log`}
          />
        </div>
      </Panel>
    </>
  );
}

const STATES = {
  open: ['busy', 'running'],
  lost: ['warn', 'no answer'],
  ended: ['quiet', 'ended'],
  gone: ['quiet', 'not running'],
} as const;

function factsOf(
  id: string,
  firing: Firing | null,
  { state, progress }: RunLines,
): Parameters<typeof Facts>[0]['facts'] {
  const [tone, word] = STATES[state];
  const ofFiring = firing && [
    ['Job', <JobLink job={firing.job} />] as const,
    ['Trigger', <TriggerLink trigger={firing.trigger} />] as const,
    ['Began', <Time at={firing.fireTime} />] as const,
    ['Node', <Copyable text={firing.instanceId} />] as const,
  ];
  return [
    [
      'State',
      <>
        <Badge tone={tone}>{word}</Badge>
        {firing !== null && state === 'open' && <AskedToStop firing={firing} />}
      </>,
    ],
    ['Progress', <Progress of={progress ?? firing?.progress ?? null} />],
    ...(ofFiring ?? []),
    ['Run id', <Copyable text={id} />],
  ];
}

/** Link to the record of a run that has ended, if it was recorded. */
function Ended({ id }: { readonly id: string }) {
  const run = useOperation('runs.show', { runId: id });
  if (run.data === null) return <Nothing>It has ended. If it was recorded, it is among the runs.</Nothing>;
  return (
    <p class="body">
      It has ended: <a href={href(['runs', id])}>see how</a>.
    </p>
  );
}
