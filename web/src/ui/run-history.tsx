import type { InputOf } from '../../../src/operations/operations';
import { RUN_COLUMNS } from '../pages/runs';
import { href } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Panel } from './basics';
import { RunChart, RunLegend } from './run-chart';
import { AskedTable } from './table';

/** Enough to see how it goes, few enough to be read. */
const RUNS_SHOWN = 40;

type Filter = Pick<InputOf<'runs.list'>, 'job' | 'jobGroup' | 'trigger' | 'triggerGroup'>;

/** The newest runs of a job or trigger: how long they took, and what they said. */
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
      <AskedTable
        asked={runs}
        caption={`The newest ${RUNS_SHOWN} recorded runs`}
        columns={RUN_COLUMNS.filter(({ name }) => name !== (of.job === undefined ? 'Trigger' : 'Job'))}
        keyOf={({ runId }) => runId}
        empty="No run is recorded. Successful runs are recorded only if the history is set to all."
      />
    </Panel>
  );
}
