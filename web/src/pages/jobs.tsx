import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/action-button';
import { Badge } from '../ui/basics';
import { BulkAction, BulkActions } from '../ui/bulk';
import { Filters, NameFilter, Pages, SearchFilter } from '../ui/filters';
import { totalText } from '../ui/format';
import { Heading } from '../ui/frame';
import { GroupFilter } from '../ui/group-filter';
import { JobLink, keyText } from '../ui/links';
import { OverrideMark } from '../ui/ownership';
import { type Column, ResultTable } from '../ui/table';
import { GroupAction } from './pauses';

type Job = OutputOf<'jobs.list'>['items'][number];

const COLUMNS: readonly Column<Job>[] = [
  { name: 'Job', cell: ({ key }) => <JobLink job={key} /> },
  { name: 'Description', cell: ({ description }) => <span class="clipped">{description}</span> },
  { name: 'Type', cell: ({ type }) => <code>{type}</code> },
  {
    name: 'Flags',
    cell: (job) => (
      <>
        <JobFlags job={job} />
        <OverrideMark isOverridden={job.isOverridden} />
      </>
    ),
    isMinor: true,
  },
];

export function JobsPage() {
  const { query } = route.value;
  const text = (name: string) => query.get(name) || undefined;
  const filter = { search: text('search'), group: text('group'), type: text('type') };
  const jobs = useOperation('jobs.list', { ...filter, after: text('after'), limit: 50 });
  const all = Object.values(filter).every((each) => each === undefined);
  return (
    <>
      <Heading
        title="Jobs"
        note={totalText(jobs.data?.total ?? null, 'job')}
        actions={
          mayRun('jobs.add') && (
            <a class="button primary" href={href(['new-job'])}>
              New job
            </a>
          )
        }
      />
      <Filters>
        <SearchFilter label="Job" />
        <GroupFilter of="jobs" />
        <NameFilter label="Type" name="type" />
      </Filters>
      <section class="panel" aria-label="Jobs">
        <ResultTable
          result={jobs}
          caption="Jobs by name"
          columns={COLUMNS}
          keyOf={({ key }) => keyText(key)}
          empty="No matching jobs. Change the filters, or add jobs in code, in a schedule file, or with New job."
        />
      </section>
      <Pages next={jobs.data?.next} />
      {(mayRun('jobs.removeMany') || (filter.group !== undefined && mayRun('groups.pause'))) && (
        <BulkActions>
          {filter.group !== undefined && <GroupOfJobs name={filter.group} onDone={jobs.reload} />}
          <BulkAction
            operation="jobs.removeMany"
            verb="Remove"
            what="job"
            isDestructive
            act={(dryRun) => call('jobs.removeMany', { ...filter, all, dryRun })}
            onDone={jobs.reload}
          />
        </BulkActions>
      )}
    </>
  );
}

function GroupOfJobs({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const groups = useOperation('groups.list', { limit: 1_000 });
  const group = groups.data?.items.find((each) => each.of === 'jobs' && each.name === name);
  if (group === undefined) return null;
  const changed = () => {
    groups.reload();
    onDone();
  };
  return <GroupAction group={group} onDone={changed} />;
}

export function JobFlags({ job }: { readonly job: Omit<Job, 'key' | 'owner' | 'isOverridden'> }) {
  const words = [
    job.durable && 'durable',
    job.disallowConcurrentExecution && 'non-concurrent',
    job.requestsRecovery && 'requests recovery',
    job.persistJobDataAfterExecution && 'persists data',
  ].filter((word): word is string => word !== false);
  return (
    <span class="badges">
      {job.unreadable !== null && <Badge tone="bad">unreadable</Badge>}
      {words.map((word) => (
        <Badge key={word} tone="quiet">
          {word}
        </Badge>
      ))}
    </span>
  );
}
