import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Badge, EmptyState, ErrorMessage, Facts, Panel } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { Heading } from '../ui/frame';

type Finding = OutputOf<'doctor.check'>['items'][number];
type Fact = OutputOf<'doctor.facts'>['items'][number];

const TONES = { problem: 'bad', warning: 'warn', note: 'quiet' } as const;

const TITLES: Readonly<Record<Finding['section'], string>> = {
  store: 'Store',
  schema: 'Tables and indexes',
  statements: 'Statements and plans',
  server: 'Database settings',
  connections: 'Node connections',
  cluster: 'Nodes and clocks',
  schedule: 'Schedule',
};
const SECTIONS = Object.keys(TITLES) as readonly Finding['section'][];

export function DoctorPage() {
  const { data, error, isLoading, reload } = useOperation('doctor.check', {}, { isLive: false });
  const facts = useOperation('doctor.facts', {}, { isLive: false });
  const checkAgain = () => {
    reload();
    facts.reload();
  };
  const actions = (
    <button type="button" onClick={checkAgain} disabled={isLoading}>
      Check again
    </button>
  );
  return (
    <>
      <Heading title="Doctor" actions={actions} />
      <ErrorMessage error={error ?? facts.error} />
      <section class="panel" aria-label="Findings" aria-busy={isLoading}>
        {data === null && isLoading && <p class="empty">Checking…</p>}
        {data !== null && data.items.length === 0 && <EmptyState>No problems found.</EmptyState>}
        {data !== null && <Findings items={data.items} onDone={checkAgain} />}
      </section>
      {SECTIONS.map((section) => (
        <FactsOf key={section} section={section} facts={facts.data?.items ?? []} />
      ))}
    </>
  );
}

function Findings({ items, onDone }: { readonly items: readonly Finding[]; readonly onDone: () => void }) {
  return (
    <ol class="attention">
      {items.map((finding) => (
        <li key={finding.id} class="finding">
          <div>
            <h2>
              <Badge tone={TONES[finding.severity]}>{finding.severity}</Badge> {finding.found}
            </h2>
            <p>
              <small class="faint">
                {TITLES[finding.section]}. Expected: {finding.expected}.
              </small>
            </p>
            <p>{finding.advice}</p>
          </div>
          <Repair finding={finding} onDone={onDone} />
        </li>
      ))}
    </ol>
  );
}

function FactsOf({ section, facts }: { readonly section: Finding['section']; readonly facts: readonly Fact[] }) {
  const own = facts.filter((fact) => fact.section === section);
  if (own.length === 0) return null;
  return (
    <Panel title={TITLES[section]}>
      <div class="body">
        <Facts facts={own.map(({ name, value }) => [name, value])} />
      </div>
    </Panel>
  );
}

function Repair({
  finding: { id, isRepairable, found },
  onDone,
}: {
  readonly finding: Finding;
  readonly onDone: () => void;
}) {
  if (!isRepairable || !may('admin')) return null;
  const findings = [id as 'stuckTriggers'];
  const repair = () =>
    confirmAction({
      title: 'Repair this problem?',
      body: (
        <>
          <p>{found}</p>
          <p>This cannot be undone.</p>
        </>
      ),
      confirmLabel: 'Repair',
      isDestructive: true,
      act: () => call('doctor.repair', { findings }).then(onDone),
    });
  return (
    <button type="button" onClick={repair}>
      Repair
    </button>
  );
}
