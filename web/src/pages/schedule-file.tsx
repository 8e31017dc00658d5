import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import { call } from '../state/api';
import { Badge, Panel, Trouble } from '../ui/basics';
import { ask } from '../ui/confirm';
import { Deed } from '../ui/deeds';
import { valueText } from '../ui/definition';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { type Column, Table } from '../ui/table';

type Plan = OutputOf<'schedule.plan'>;
type Change = Plan['changes'][number];

/** A schedule file: what it would change is shown before it changes it. */
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
  const look = () =>
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
  const take = async (input: HTMLInputElement) => {
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
            <button type="button" onClick={look}>
              What would change?
            </button>
            {plan?.changes.some(({ action }) => action !== 'unchanged') && (
              <Deed operation="schedule.apply" isPrimary act={() => askApply({ text, file }, plan, applied)}>
                Apply
              </Deed>
            )}
          </>
        }
      />
      <Panel title="The file">
        <div class="body grid">
          <label class="field">
            <span>From this machine</span>
            <input type="file" accept=".yaml,.yml,.json" onChange={({ currentTarget }) => take(currentTarget)} />
          </label>
          <label class="field">
            <span>Name</span>
            <input value={file} spellcheck={false} onInput={({ currentTarget }) => setFile(currentTarget.value)} />
            <small>In problems, and of the set that it declares if it names none.</small>
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

/** What is wrong, with its place in the text. */
function Problems({ error }: { readonly error: Error | null }) {
  if (!(error instanceof Problem) || error.fields.length === 0) return <Trouble error={error} />;
  return (
    <div class="trouble" role="alert">
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
  { name: 'What', cell: (change) => `${change.what} ${nameOf(change)}` },
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
    <Panel title="What would change">
      {shown.length === 0 ? (
        <p class="nothing">Nothing: all of it is stored as the file has it.</p>
      ) : (
        <Table
          caption="What would change"
          columns={COLUMNS}
          rows={shown}
          keyOf={(change) => `${change.what} ${nameOf(change)}`}
        />
      )}
      <p class="legend">
        {same} unchanged.
        {undeclared.length > 0 && ` Kept, though the file no longer names it: ${undeclared.map(keyText).join(', ')}.`}
      </p>
    </Panel>
  );
}

function countsText({ created, replaced, unchanged, deleted }: OutputOf<'schedule.apply'>): string {
  return `${created} created, ${replaced} replaced, ${deleted} deleted, ${unchanged} unchanged`;
}

function askApply(
  input: { readonly text: string; readonly file: string },
  { changes }: Plan,
  onDone: (outcome: OutputOf<'schedule.apply'>) => void,
): void {
  const deleted = changes.filter(({ action }) => action === 'delete').length;
  ask({
    title: `Apply ${input.file}?`,
    body: `All of it or nothing${deleted > 0 ? `; ${deleted} of what is stored is deleted, which cannot be undone` : ''}.`,
    deed: 'Apply',
    isDestructive: deleted > 0,
    act: () => call('schedule.apply', input).then(onDone),
  });
}
