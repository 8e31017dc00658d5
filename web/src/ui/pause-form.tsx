import { confirmAction } from './confirm';
import { formText } from './form';
import { instantOf } from './format';

/** Opens the dialog that pauses `title`, with a reason and an end time. `effect` explains which triggers stop firing, if the title does not. */
export function confirmPause(title: string, pause: (options: PauseOptions) => Promise<unknown>, effect?: string): void {
  confirmAction({
    title,
    body: (
      <>
        {effect !== undefined && <p>{effect}</p>}
        <PauseFields />
      </>
    ),
    confirmLabel: 'Pause',
    isDestructive: false,
    act: (form) => pause(readPauseForm(form)),
  });
}

export function PauseFields() {
  return (
    <>
      <p>Running jobs continue. You can resume at any time. The reason and the end time are shown with the pause.</p>
      <label class="field">
        <span>Reason</span>
        <input name="reason" maxLength={1_000} autocomplete="off" />
      </label>
      <label class="field">
        <span>Until</span>
        <input name="until" type="datetime-local" />
        <small>Leave empty to pause until you resume.</small>
      </label>
      <label class="field flag">
        <input name="holdRetries" type="checkbox" checked />
        <span>Also hold waiting retries, recoveries, parts and deferred runs</span>
      </label>
    </>
  );
}

interface PauseOptions {
  readonly reason: string | undefined;
  readonly until: string | undefined;
  readonly holdRetries: boolean;
}

export function readPauseForm(form: FormData): PauseOptions {
  const [reason, until] = [formText(form, 'reason'), formText(form, 'until')];
  const holdRetries = form.get('holdRetries') !== null;
  return { reason, until: until === undefined ? undefined : instantOf(until), holdRetries };
}
