import { ROUTES } from 'quartz-ts:routes';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { OperationName } from '../../../src/operations/operations';
import { may } from '../state/session';
import { Trouble } from './basics';
import { ask } from './confirm';
import { instantOf } from './format';

/** Whether who looks may run the operation; the server decides again. */
export function mayRun(name: OperationName): boolean {
  return may(ROUTES[name].role);
}

interface DeedProps {
  /** Not shown to those who may not run it. */
  readonly operation: OperationName;
  readonly act: () => unknown;
  readonly isPrimary?: boolean;
  readonly children: ComponentChildren;
}

/** A button for an operation: there for those alone who may run it. What fails is told beside it. */
export function Deed({ operation, act, isPrimary = false, children }: DeedProps) {
  const [error, setError] = useState<Error | null>(null);
  if (!mayRun(operation)) return null;
  const run = async () => {
    setError(null);
    try {
      await act();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : ''} onClick={run}>
        {children}
      </button>
      <Trouble error={error} />
    </>
  );
}

/** Asks why and until when something is paused. `holds`: what does not fire meanwhile, where the title does not say it. */
export function askPause(title: string, pause: (said: SaidOfPause) => Promise<unknown>, holds?: string): void {
  ask({
    title,
    body: (
      <>
        {holds !== undefined && <p>{holds}</p>}
        <PauseFields />
      </>
    ),
    deed: 'Pause',
    isDestructive: false,
    act: (said) => pause(saidOfPause(said)),
  });
}

/** Why, and until when. */
export function PauseFields() {
  return (
    <>
      <p>Running jobs continue. Reason and end are shown wherever the pause is shown.</p>
      <label class="field">
        <span>Reason</span>
        <input name="reason" maxLength={1_000} autocomplete="off" />
      </label>
      <label class="field">
        <span>Until</span>
        <input name="until" type="datetime-local" />
        <small>Leave empty to pause until it is resumed.</small>
      </label>
      <label class="field flag">
        <input name="holdRetries" type="checkbox" checked />
        <span>Also hold waiting retries, recoveries, parts and deferred runs</span>
      </label>
    </>
  );
}

interface SaidOfPause {
  readonly reason: string | undefined;
  readonly until: string | undefined;
  readonly holdRetries: boolean;
}

/** What was filled into these fields. */
export function saidOfPause(said: FormData): SaidOfPause {
  const [reason, until] = [textOf(said, 'reason'), textOf(said, 'until')];
  const holdRetries = said.get('holdRetries') !== null;
  return { reason, until: until === undefined ? undefined : instantOf(until), holdRetries };
}

/** What was filled in; undefined: nothing. */
export function textOf(said: FormData, name: string): string | undefined {
  return String(said.get(name) ?? '').trim() || undefined;
}

/** What was filled in as JSON. Throws what a reader understands. */
export function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what}: expected JSON, ${(error as Error).message}`);
  }
}
