import type { OutputOf } from '../../../src/operations/operations';
import { place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Nothing, Panel, State, Time, Trouble } from '../ui/basics';
import { ChoiceFilter, Filters, SearchFilter } from '../ui/filters';
import { Heading } from '../ui/frame';
import { Lanes } from '../ui/lanes';
import { keyText, TriggerLink } from '../ui/links';
import { type Column, Table } from '../ui/table';

type Lane = OutputOf<'timeline.show'>['lanes'][number];

/** How much of the past and of the future. */
const SPANS = { '10m': 600_000, '1h': 3_600_000, '6h': 21_600_000, '1d': 86_400_000, '3d': 259_200_000 } as const;

const COLUMNS: readonly Column<Lane>[] = [
  { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} /> },
  { name: 'State', cell: ({ state }) => (state === null ? <span class="faint">gone</span> : <State of={state} />) },
  { name: 'Recorded runs', cell: ({ runs }) => runs.length, isNumber: true },
  {
    name: 'Not succeeded',
    cell: ({ runs }) => runs.filter(({ outcome }) => outcome !== 'succeeded').length,
    isNumber: true,
  },
  { name: 'Running', cell: ({ running }) => running.length, isNumber: true },
  { name: 'Fires next', cell: ({ coming }) => <Time at={coming[0]} /> },
];

/** Past and coming firings, by trigger. */
export function TimelinePage() {
  const { query } = place.value;
  const span = SPANS[(query.get('span') ?? '1h') as keyof typeof SPANS] ?? SPANS['1h'];
  // In steps, so that the picture stands still between two of them.
  const step = span / 120;
  const now = Math.floor(Date.now() / step) * step;
  const [from, to] = [now - span, now + span];
  const search = query.get('search') ?? undefined;
  const { data, error } = useOperation('timeline.show', {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    search,
    lanes: 60,
  });
  return (
    <>
      <Heading title="Timeline" />
      <Filters>
        <SearchFilter label="Trigger" />
        <ChoiceFilter
          label="Span"
          name="span"
          choices={[
            ['', '1 hour before and after'],
            ['10m', '10 minutes before and after'],
            ['6h', '6 hours before and after'],
            ['1d', '1 day before and after'],
            ['3d', '3 days before and after'],
          ]}
        />
      </Filters>
      <Trouble error={error} />
      {data !== null && <Picture timeline={data} span={{ from, to }} />}
    </>
  );
}

function Picture({
  timeline,
  span,
}: {
  readonly timeline: OutputOf<'timeline.show'>;
  readonly span: { readonly from: number; readonly to: number };
}) {
  if (timeline.lanes.length === 0)
    return <Nothing>Nothing fires in this time, and no recorded run ended in it.</Nothing>;
  return (
    <>
      <Panel title="Lanes">
        <Lanes timeline={timeline} span={span} />
        <p class="legend">
          <i class="run succeeded" /> succeeded <i class="run failed" /> failed, timed out or lost{' '}
          <i class="run misfired" /> misfired, skipped or stopped <i class="run running" /> running <i class="dot" />{' '}
          will fire
          {timeline.isCut && ' · there is more than is shown: narrow the search or the span'}
        </p>
      </Panel>
      <Panel title="The same as a table">
        <Table
          caption="Firings by trigger"
          columns={COLUMNS}
          rows={timeline.lanes}
          keyOf={({ trigger }) => keyText(trigger)}
        />
      </Panel>
    </>
  );
}
