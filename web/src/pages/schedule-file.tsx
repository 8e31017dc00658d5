import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import { call } from '../state/api';
import { ActionButton } from '../ui/action-button';
import { Badge, ErrorMessage, Panel } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { valueText } from '../ui/definition';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { type Column, Table } from '../ui/table';

type Plan = OutputOf<'schedule.plan'>;
type Change = Plan['changes'][number];

export function ScheduleFilePage() {
  const [file, setFile] = useState('schedule.yaml');
  const [text, setText] = useState('');
  const [plan, setPlan] = useState<Plan | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [done, setDone] = useState('');
  const change = (next: string) => {
    setText(next);
    setPlan(null);
    setDone('');
  };
  const showPlan = () =>
    call('schedule.plan', { text, file }).then(
      (next) => {
        setPlan(next);
        setError(null);
      },
      (thrown: Error) => {
        setPlan(null);
        setError(thrown);
      },
    );
  const readFile = async (input: HTMLInputElement) => {
    const [given] = input.files ?? [];
    if (given === undefined) return;
    change(await given.text());
    setFile(given.name);
  };
  const applied = (outcome: OutputOf<'schedule.apply'>) => {
    setPlan(null);
    setDone(`Applied: ${countsText(outcome)}.`);
  };
  return (
    <>
      <Heading
        title="Schedule file"
        actions={
          <>
            <button type="button" onClick={showPlan}>
              Plan changes
            </button>
            {plan?.changes.some(({ action }) => action !== 'unchanged') && (
              <ActionButton
                operation="schedule.apply"
                isPrimary
                act={() => confirmApply({ text, file }, plan, applied)}
              >
                Apply
              </ActionButton>
            )}
          </>
        }
      />
      <Panel title="File">
        <div class="body grid">
          <label class="field">
            <span>Upload</span>
            <input type="file" accept=".yaml,.yml,.json" onChange={({ currentTarget }) => readFile(currentTarget)} />
          </label>
          <label class="field">
            <span>Name</span>
            <input value={file} spellcheck={false} onInput={({ currentTarget }) => setFile(currentTarget.value)} />
            <small>Shown in error messages. Also the name of the set, unless the file sets a name.</small>
          </label>
          <label class="field wide">
            <span>Text</span>
            <textarea
              rows={14}
              spellcheck={false}
              value={text}
              placeholder="jobs: []"
              onInput={({ currentTarget }) => change(currentTarget.value)}
            />
          </label>
        </div>
      </Panel>
      <Problems error={error} />
      {done !== '' && <output class="notice">{done}</output>}
      {plan !== null && <Changes plan={plan} />}
    </>
  );
}

function Problems({ error }: { readonly error: Error | null }) {
  if (!(error instanceof Problem) || error.fields.length === 0) return <ErrorMessage error={error} />;
  return (
    <div class="error-message" role="alert">
      <ul>
        {error.fields.map(({ field, message, line, column }) => (
          <li key={`${line}:${column} ${field}`}>
            {line !== undefined && `Line ${line}, column ${column}: `}
            {field !== '' && <code>{field}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

const TONES = { create: 'good', replace: 'warn', delete: 'bad', unchanged: 'quiet' } as const;

const nameOf = ({ group, name }: Change) => (group === null ? name : keyText({ group, name }));

const COLUMNS: readonly Column<Change>[] = [
  { name: 'Change', cell: ({ action }) => <Badge tone={TONES[action]}>{action}</Badge> },
  { name: 'Target', cell: (change) => `${change.what} ${nameOf(change)}` },
  {
    name: 'Fields',
    cell: ({ fields }) =>
      fields.map(({ field, before, after }) => (
        <small key={field} class="below">
          <code>{field}</code>
          {(before !== undefined || after !== undefined) && `: ${valueText(before)} → ${valueText(after)}`}
        </small>
      )),
  },
];

function Changes({ plan: { changes, undeclared } }: { readonly plan: Plan }) {
  const shown = changes.filter(({ action }) => action !== 'unchanged');
  const same = changes.length - shown.length;
  return (
    <Panel title="Planned changes">
      {shown.length === 0 ? (
        <p class="empty">No changes. Everything in the file is already stored.</p>
      ) : (
        <Table
          caption="Planned changes"
          columns={COLUMNS}
          rows={shown}
          keyOf={(change) => `${change.what} ${nameOf(change)}`}
        />
      )}
      <p class="legend">
        {same} unchanged.
        {undeclared.length > 0 && ` No longer in the file, but kept: ${undeclared.map(keyText).join(', ')}.`}
      </p>
    </Panel>
  );
}

function countsText({ created, replaced, unchanged, deleted }: OutputOf<'schedule.apply'>): string {
  return `${created} created, ${replaced} replaced, ${deleted} deleted, ${unchanged} unchanged`;
}

function confirmApply(
  input: { readonly text: string; readonly file: string },
  { changes }: Plan,
  onDone: (outcome: OutputOf<'schedule.apply'>) => void,
): void {
  const deleted = changes.filter(({ action }) => action === 'delete').length;
  confirmAction({
    title: `Apply ${input.file}?`,
    body: `Applies up to 200 changes all or nothing, and more in portions.${deleted > 0 ? ` ${deleted} ${deleted === 1 ? 'entry is' : 'entries are'} deleted.` : ''} To restore the previous definitions, apply the previous file.`,
    confirmLabel: 'Apply',
    isDestructive: deleted > 0,
    act: () => call('schedule.apply', input).then(onDone),
  });
}
