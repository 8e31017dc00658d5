import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Badge, Nothing, Trouble } from '../ui/basics';
import { ask } from '../ui/confirm';
import { Heading } from '../ui/frame';

type Finding = OutputOf<'doctor.check'>['items'][number];

const TONES = { problem: 'bad', warning: 'warn', note: 'quiet' } as const;

/** What keeps triggers from firing, and what can be done about it. */
export function DoctorPage() {
  const { data, error, isLoading, again } = useOperation('doctor.check', {}, { isLive: false });
  const actions = (
    <button type="button" onClick={again} disabled={isLoading}>
      Look again
    </button>
  );
  return (
    <>
      <Heading title="Doctor" actions={actions} />
      <Trouble error={error} />
      <section class="panel" aria-label="Findings" aria-busy={isLoading}>
        {data === null && isLoading && <p class="nothing">Looking…</p>}
        {data !== null && data.items.length === 0 && <Nothing>Nothing was found. All is well.</Nothing>}
        {data !== null && (
          <ol class="attention">
            {data.items.map((finding) => (
              <li key={finding.id} class="finding">
                <div>
                  <h2>
                    <Badge tone={TONES[finding.severity]}>{finding.severity}</Badge> {finding.found}
                  </h2>
                  <p>{finding.advice}</p>
                </div>
                <Repair finding={finding} onDone={again} />
              </li>
            ))}
          </ol>
        )}
      </section>
    </>
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
    ask({
      title: 'Repair this?',
      body: found,
      deed: 'Repair',
      isDestructive: true,
      act: () => call('doctor.repair', { findings }).then(onDone),
    });
  return (
    <button type="button" onClick={repair}>
      Repair
    </button>
  );
}
