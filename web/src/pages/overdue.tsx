import type { OutputOf } from '../../../src/operations/operations';
import { useOperation } from '../state/use-operation';
import { RelativeTime } from '../ui/basics';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';

type Overdue = OutputOf<'overdue.list'>['items'][number];

const COLUMNS: readonly Column<Overdue>[] = [
  { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { name: 'Trigger', cell: ({ trigger }) => (trigger === null ? 'any trigger' : <TriggerLink trigger={trigger} />) },
  { name: 'Must succeed within', cell: ({ mustSucceedWithinMs }) => durationText(mustSucceedWithinMs), isNumber: true },
  { name: 'Overdue since', cell: ({ since }) => <RelativeTime at={since} /> },
  { name: 'Last success', cell: ({ lastSuccess }) => <RelativeTime at={lastSuccess} missing="never succeeded" /> },
];

export function OverduePage() {
  const overdue = useOperation('overdue.list', {});
  return (
    <>
      <Heading title="Overdue" />
      <section class="panel" aria-label="Overdue jobs and triggers">
        <ResultTable
          result={overdue}
          caption="Overdue jobs and triggers"
          columns={COLUMNS}
          keyOf={(each) => JSON.stringify([each.job, each.trigger])}
          empty="Nothing is overdue. Jobs and triggers with mustSucceedWithin appear here if no run succeeds within that time."
        />
      </section>
    </>
  );
}
