import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../../../src/operations/problem';
import { useOperation } from '../state/use-operation';
import { ErrorMessage, Panel } from './basics';
import { KINDS } from './definition-fields';
import { FireTimes } from './fire-times';
import type { Definition } from './form-values';

/** Delay between the last keystroke and the request, in milliseconds. Long enough to type a number, short enough to seem immediate. */
const TYPING_MS = 250;
const TIMES_SHOWN = 10;

/** Description, warnings and next fire times of a schedule. Updated while the user types. */
export function Preview({
  given,
  onProblem,
}: {
  readonly given: Definition | null;
  /** Called with the error of the schedule, to show next to its fields, or with null if the schedule is valid. */
  readonly onProblem: (problem: Error | null) => void;
}) {
  const [requested, setRequested] = useState<Definition | null>(null);
  const text = JSON.stringify(given);
  useEffect(() => {
    const timer = setTimeout(() => setRequested(hasSchedule(given) ? given : null), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error } = useOperation('cron.preview', requested && { ...requested, count: TIMES_SHOWN }, {
    isLive: false,
  });
  const problem = requested === null ? null : error;
  useEffect(() => onProblem(problem), [problem]);
  const isShownAtFields = error instanceof Problem && error.fields.length > 0;
  return (
    <Panel title="Preview">
      <div aria-live="polite">
        {requested === null && <p class="empty">Enter a schedule to see its next fire times.</p>}
        {requested !== null && !isShownAtFields && <ErrorMessage error={error} />}
        {requested !== null && isShownAtFields && (
          <p class="empty">The schedule is not valid yet. See the messages next to the fields.</p>
        )}
        {requested !== null && data !== null && (
          <>
            <p class="words">
              <strong>{data.description}</strong>
              {data.timeZone !== null && <span class="faint"> in {data.timeZone}</span>}
              {data.expression !== null && data.expression !== requested.cron && <code> {data.expression}</code>}
            </p>
            {data.warnings.map(({ code, message }) => (
              <p key={code} class="notice inside">
                {message}
              </p>
            ))}
            <FireTimes
              times={data.fireTimes.map(({ time }) => time)}
              empty={data.kind === 'after' ? 'Fires after other jobs, not at set times.' : 'No fire times left.'}
            />
          </>
        )}
      </div>
    </Panel>
  );
}

function hasSchedule(given: Definition | null): boolean {
  return given !== null && KINDS.some((kind) => kind in given);
}
