import type { OutputOf } from '../../../src/operations/operations';
import { useOperation } from '../state/use-operation';
import { Away } from '../ui/basics';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Overdue = OutputOf<'overdue.list'>['items'][number];

const COLUMNS: readonly Column<Overdue>[] = [
  { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { name: 'Trigger', cell: ({ trigger }) => (trigger === null ? 'any' : <TriggerLink trigger={trigger} />) },
  { name: 'Has to succeed within', cell: ({ mustSucceedWithinMs }) => durationText(mustSucceedWithinMs) },
  { name: 'Overdue since', cell: ({ since }) => <Away at={since} /> },
  { name: 'Last success', cell: ({ lastSuccess }) => <Away at={lastSuccess} missing="never" /> },
];

/** What had to succeed within a time, and has not. */
export function OverduePage() {
  const overdue = useOperation('overdue.list', {});
  return (
    <>
      <Heading title="Overdue" />
      <section class="panel" aria-label="What is overdue">
        <AskedTable
          asked={overdue}
          caption="What had to succeed within a time, and has not"
          columns={COLUMNS}
          keyOf={(each) => JSON.stringify([each.job, each.trigger])}
          empty="Nothing is overdue. mustSucceedWithin of a job or trigger says how long it may go without a success."
        />
      </section>
    </>
  );
}
