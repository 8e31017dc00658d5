import type { InputOf } from '../../../src/operations/operations';
import { RUN_COLUMNS } from '../pages/runs';
import { href } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Panel } from './basics';
import { RunChart, RunLegend } from './run-chart';
import { ResultTable } from './table';

/** Number of runs to show. Enough to show a trend, but few enough to read. */
const RUNS_SHOWN = 40;

type Filter = Pick<InputOf<'runs.list'>, 'job' | 'jobGroup' | 'trigger' | 'triggerGroup'>;

export function RunHistory({ of }: { readonly of: Filter }) {
  const runs = useOperation('runs.list', { ...of, limit: RUNS_SHOWN });
  const items = runs.data?.items ?? [];
  const all: Readonly<Record<string, string | undefined>> = { ...of };
  return (
    <Panel title="Runs" actions={items.length > 0 && <a href={href(['runs'], all)}>All runs</a>}>
      {items.length > 0 && (
        <>
          <RunChart runs={items} />
          <RunLegend />
        </>
      )}
      <ResultTable
        result={runs}
        caption={`The newest ${RUNS_SHOWN} recorded runs`}
        columns={RUN_COLUMNS.filter(({ name }) => name !== (of.job === undefined ? 'Trigger' : 'Job'))}
        keyOf={({ runId }) => runId}
        empty="No recorded runs. Failed runs are recorded by default. Set history to all to record successful runs too."
      />
    </Panel>
  );
}
