import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../../../src/operations/problem';
import { useOperation } from '../state/use-operation';
import { Panel, Trouble } from './basics';
import { KINDS } from './definition-fields';
import type { Definition } from './draft';
import { FireTimes } from './fire-times';

/** Long enough to type a figure, short enough to follow what is typed. Milliseconds. */
const TYPING_MS = 250;
const TIMES_SHOWN = 10;

/** When a schedule would fire, in words and times, and what may surprise about it; asked while it is typed. */
export function Preview({
  given,
  onProblem,
}: {
  readonly given: Definition | null;
  /** What is wrong with the schedule, to be told beside its fields; null: nothing. */
  readonly onProblem: (problem: Error | null) => void;
}) {
  const [asked, setAsked] = useState<Definition | null>(null);
  const text = JSON.stringify(given);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(saysWhen(given) ? given : null), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useOperation('cron.preview', asked && { ...asked, count: TIMES_SHOWN }, { isLive: false });
  const problem = asked === null ? null : error;
  useEffect(() => onProblem(problem), [problem]);
  const isToldBeside = error instanceof Problem && error.fields.length > 0;
  return (
    <Panel title="Preview">
      <div aria-live="polite">
        {asked === null && <p class="nothing">Enter a schedule to see its next fire times.</p>}
        {asked !== null && !isToldBeside && <Trouble error={error} />}
        {asked !== null && isToldBeside && (
          <p class="nothing">Not readable yet. See the messages next to the fields.</p>
        )}
        {asked !== null && data !== null && (
          <>
            <p class="words">
              <strong>{data.description}</strong>
              {data.timeZone !== null && <span class="faint"> by the clock of {data.timeZone}</span>}
              {data.expression !== null && data.expression !== asked.cron && <code> {data.expression}</code>}
            </p>
            {data.warnings.map(({ code, message }) => (
              <p key={code} class="notice inside">
                {message}
              </p>
            ))}
            <FireTimes
              times={data.fireTimes.map(({ time }) => time)}
              empty={data.kind === 'after' ? 'It waits for other jobs, not for a time.' : 'No fire time is left.'}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

function saysWhen(given: Definition | null): boolean {
  return given !== null && KINDS.some((kind) => kind in given);
}
