import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href } from '../state/router';
import { Panel } from './basics';
import { ask } from './confirm';
import { mayRun } from './deeds';
import { DefinitionFacts, valueText } from './definition';
import { KINDS as SCHEDULE_KINDS } from './definition-fields';
import { timeText, weekdayText } from './format';

type Definition = Readonly<Record<string, unknown>>;
type Shown = Pick<OutputOf<'triggers.show'>, 'owner' | 'override'> & { readonly definition?: Definition };
type Owner = NonNullable<Shown['owner']>;
type Override = NonNullable<Shown['override']>;

const KINDS: Readonly<Record<Owner['kind'], string>> = {
  code: 'code',
  file: 'a schedule file',
  console: 'the console',
  http: 'HTTP',
  command: 'a command',
};

/** "schedule.yaml (set nightly)". */
export function placeOf({ kind, file, set, version }: Owner): string {
  const place = file ?? KINDS[kind];
  const parts = [set !== null && set !== file ? `set ${set}` : '', version === null ? '' : `version ${version}`];
  const more = parts.filter(Boolean).join(', ');
  return more === '' ? place : `${place} (${more})`;
}

export interface Subject {
  readonly what: 'job' | 'trigger' | 'calendar';
  readonly group?: string;
  readonly name: string;
}

/** Who declared it, and what was edited by hand of it. */
export function Ownership({
  shown: { owner, override, definition },
  subject,
  onDone,
}: {
  readonly shown: Shown;
  readonly subject: Subject;
  readonly onDone: () => void;
}) {
  if (owner === null) return null;
  const isDeclared = owner.kind === 'code' || owner.kind === 'file';
  return (
    <Panel
      title={override === null ? 'Origin' : 'Override'}
      actions={
        override !== null &&
        mayRun('overrides.drop') && (
          <button type="button" onClick={() => askDrop(subject, owner, onDone)}>
            Drop override…
          </button>
        )
      }
    >
      <p class="body">
        {isDeclared ? 'Declared by' : 'Stored by'} {placeOf(owner)}
        {owner.by === null ? '' : `, ${owner.by}`}, since {timeText(owner.at)}.
      </p>
      {override !== null && <OverrideTexts of={{ owner, override, definition: definition ?? null }} />}
      {override?.declared && (
        <details class="body">
          <summary>Everything as declared</summary>
          <DefinitionFacts definition={override.declared} />
        </details>
      )}
    </Panel>
  );
}

/** "0 0 6 * * ? in code, 0 30 7 * * ? since Tue 2026-11-24 13:40:11 by ann", one for each edited field. */
export function OverrideTexts({
  of: { owner, override, definition },
}: {
  readonly of: {
    readonly owner: Owner;
    readonly override: Override;
    /** As it is stored; null: not known here. */
    readonly definition: Definition | null;
  };
}) {
  const place = owner.file ?? KINDS[owner.kind];
  const edited = ({ by, at }: { readonly by: string | null; readonly at: string }) =>
    `since ${weekdayText(at)} ${timeText(at)} by ${by ?? 'the program'}`;
  if (override.deleted !== null)
    return (
      <p class="body">
        Declared in {place}, deleted {edited(override.deleted)}.
      </p>
    );
  return (
    <ul class="body overrides">
      {override.fields.map((edit) => (
        <li key={edit.field}>
          {edit.field}: <FieldValue of={override.declared} field={edit.field} /> in {place},{' '}
          {definition === null ? 'edited' : <FieldValue of={definition} field={edit.field} />} {edited(edit)}
        </li>
      ))}
    </ul>
  );
}

function FieldValue({ of, field }: { readonly of: Definition | null; readonly field: string }) {
  const value = of === null ? undefined : fieldOf(of, field);
  return value === undefined ? (
    <span class="faint">{of === null ? 'unreadable' : 'none'}</span>
  ) : (
    <code>{valueText(value)}</code>
  );
}

/** The value of a field as an override names it. */
function fieldOf(definition: Definition, field: string): unknown {
  if (field === 'definition') return definition;
  if (field.startsWith('data.')) return (definition.data as Definition | undefined)?.[field.slice('data.'.length)];
  if (field !== 'schedule') return definition[field];
  const kind = SCHEDULE_KINDS.find((each) => definition[each] !== undefined);
  return kind && definition[kind];
}

export function askDrop(subject: Subject, owner: Owner, onDone: () => void): void {
  ask({
    title: `Drop the override of ${subject.name}?`,
    body: `The definition declared by ${placeOf(owner)} is stored again. The edit is lost.`,
    deed: 'Drop the override',
    isDestructive: true,
    act: () => call('overrides.drop', { ...subject }).then(onDone),
  });
}

/** In an editor: what saving will come to. */
export function OwnershipNote({ owner }: { readonly owner: Owner | null | undefined }) {
  if (!owner || (owner.kind !== 'code' && owner.kind !== 'file')) return null;
  const end = {
    override: 'Your change becomes an override: it stays until someone drops it.',
    codeWins: 'The next start of a node undoes your change.',
    refuse: 'It can be changed there only: saving is refused.',
  }[owner.onDeclaredEdit];
  return (
    <p class="lead" role="note">
      Declared by {placeOf(owner)}. {end}
    </p>
  );
}

/** In a row of a list. */
export function OverrideMark({ isOverridden }: { readonly isOverridden: boolean | undefined }) {
  if (!isOverridden) return null;
  return (
    <>
      {' · '}
      <a href={href(['overrides'])} title="Declared by code or a file, and edited by hand">
        overridden
      </a>
    </>
  );
}
