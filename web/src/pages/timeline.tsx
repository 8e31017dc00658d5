import type { OutputOf } from '../../../src/operations/operations';
import { serverNow } from '../state/clock';
import { route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { EmptyState, ErrorMessage, Loading, Panel, State, Time } from '../ui/basics';
import { ChoiceFilter, Filters, SearchFilter } from '../ui/filters';
import { Heading } from '../ui/frame';
import { type LaneRow, rowsByNode, rowsByTrigger } from '../ui/lane-rows';
import { Lanes, type Span } from '../ui/lanes';
import { keyText, TriggerLink } from '../ui/links';
import { type Column, Table } from '../ui/table';

type Lane = OutputOf<'timeline.show'>['lanes'][number];

/** Choices for the length of the past, and of the equally long future, in milliseconds. */
const SPANS = { '10m': 600_000, '1h': 3_600_000, '6h': 21_600_000, '1d': 86_400_000, '3d': 259_200_000 } as const;

const COLUMNS: readonly Column<Lane>[] = [
  { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} /> },
  { name: 'State', cell: ({ state }) => (state === null ? <span class="faint">deleted</span> : <State of={state} />) },
  { name: 'Recorded runs', cell: ({ runs }) => runs.length, isNumber: true },
  {
    name: 'Not succeeded',
    cell: ({ runs }) => runs.filter(({ outcome }) => outcome !== 'succeeded').length,
    isNumber: true,
  },
  { name: 'Running', cell: ({ running }) => running.length, isNumber: true },
  { name: 'Next fire time', cell: ({ coming }) => <Time at={coming[0]} /> },
];

const NODE_COLUMNS: readonly Column<LaneRow>[] = [
  { name: 'Node', cell: ({ name }) => name },
  { name: 'Recorded runs', cell: ({ bars }) => bars.filter(({ kind }) => kind !== 'running').length, isNumber: true },
  {
    name: 'Not succeeded',
    cell: ({ bars }) => bars.filter(({ kind }) => kind !== 'running' && kind !== 'succeeded').length,
    isNumber: true,
  },
  { name: 'Running', cell: ({ bars }) => bars.filter(({ kind }) => kind === 'running').length, isNumber: true },
];

export function TimelinePage() {
  const { query } = route.value;
  const span = SPANS[(query.get('span') ?? '1h') as keyof typeof SPANS] ?? SPANS['1h'];
  // Rounded to a step, so that the chart moves at most once per step.
  const step = span / 120;
  const now = Math.floor(serverNow() / step) * step;
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
          label="Group by"
          name="by"
          choices={[
            ['', 'By trigger'],
            ['node', 'By node'],
          ]}
        />
        <ChoiceFilter
          label="Span"
          name="span"
          choices={[
            ['', '± 1 hour'],
            ['10m', '± 10 minutes'],
            ['6h', '± 6 hours'],
            ['1d', '± 1 day'],
            ['3d', '± 3 days'],
          ]}
        />
      </Filters>
      {data === null ? <Loading error={error} /> : <ErrorMessage error={error} />}
      {data !== null && <Chart timeline={data} span={{ from, to }} isByNode={query.get('by') === 'node'} />}
    </>
  );
}

interface ChartProps {
  readonly timeline: OutputOf<'timeline.show'>;
  readonly span: Span;
  readonly isByNode: boolean;
}

function Chart({ timeline, span, isByNode }: ChartProps) {
  const rows = isByNode ? rowsByNode(timeline) : rowsByTrigger(timeline);
  if (rows.length === 0)
    return (
      <EmptyState>
        No fire times and no recorded runs in this span. Choose a longer span or change the search.
      </EmptyState>
    );
  const idle = timeline.lanes.length - rows.length;
  return (
    <>
      <Panel title="Lanes">
        <Lanes rows={rows} now={Date.parse(timeline.now)} span={span} />
        <p class="legend">
          <i class="run succeeded" /> succeeded <i class="run failed" /> failed, timed out or lost{' '}
          <i class="run misfired" /> misfired or interrupted <i class="run" /> skipped <i class="run running" /> running{' '}
          {!isByNode && (
            <>
              <i class="dot" /> will fire
              {idle > 0 &&
                ` · ${idle} more ${idle === 1 ? 'trigger has' : 'triggers have'} no fire times or runs in this span`}
            </>
          )}
          {timeline.isTruncated && ' · Some runs are not shown. Narrow the search or choose a shorter span.'}
        </p>
      </Panel>
      <Panel title="Table">
        {isByNode ? (
          <Table caption="Runs by node" columns={NODE_COLUMNS} rows={rows} keyOf={({ name }) => name} />
        ) : (
          <Table
            caption="Firings by trigger"
            columns={COLUMNS}
            rows={timeline.lanes}
            keyOf={({ trigger }) => keyText(trigger)}
          />
        )}
      </Panel>
    </>
  );
}
