import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href } from '../state/router';
import { mayRun } from './action-button';
import { Panel } from './basics';
import { confirmAction } from './confirm';
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
  http: 'the HTTP API',
  command: 'the command line',
};

/** Returns the origin of a definition, such as "schedule.yaml (set nightly)". */
export function originText({ kind, file, set, version }: Owner): string {
  const source = file ?? KINDS[kind];
  const parts = [set !== null && set !== file ? `set ${set}` : '', version === null ? '' : `version ${version}`];
  const more = parts.filter(Boolean).join(', ');
  return more === '' ? source : `${source} (${more})`;
}

export interface Target {
  readonly what: 'job' | 'trigger' | 'calendar';
  readonly group?: string;
  readonly name: string;
}

export function Ownership({
  shown: { owner, override, definition },
  target,
  onDone,
}: {
  readonly shown: Shown;
  readonly target: Target;
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
          <button type="button" onClick={() => confirmDrop(target, owner, onDone)}>
            Drop override
          </button>
        )
      }
    >
      <p class="body">
        {isDeclared ? 'Declared in' : 'Stored from'} {originText(owner)}
        {owner.by === null ? '' : ` by ${owner.by}`} on {timeText(owner.at)}.
      </p>
      {override !== null && <OverrideTexts of={{ owner, override, definition: definition ?? null }} />}
      {override?.declared && (
        <details class="body">
          <summary>Declared definition</summary>
          <DefinitionFacts definition={override.declared} />
        </details>
      )}
    </Panel>
  );
}

/** List of manually edited fields, such as "cron: 0 0 6 * * ? in code, 0 30 7 * * ? since Tue 2026-11-24 13:40:11 by ann". */
export function OverrideTexts({
  of: { owner, override, definition },
}: {
  readonly of: {
    readonly owner: Owner;
    readonly override: Override;
    readonly definition: Definition | null;
  };
}) {
  const source = owner.file ?? KINDS[owner.kind];
  const edited = ({ by, at }: { readonly by: string | null; readonly at: string }) =>
    `${weekdayText(at)} ${timeText(at)} by ${by ?? 'the program'}`;
  if (override.deleted !== null)
    return (
      <p class="body">
        Declared in {source}, deleted on {edited(override.deleted)}.
      </p>
    );
  return (
    <ul class="body overrides">
      {override.fields.map((edit) => (
        <li key={edit.field}>
          {edit.field}: <FieldValue of={override.declared} field={edit.field} /> in {source},{' '}
          {definition === null ? 'edited' : <FieldValue of={definition} field={edit.field} />} since {edited(edit)}
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

function fieldOf(definition: Definition, field: string): unknown {
  if (field === 'definition') return definition;
  if (field.startsWith('data.')) return (definition.data as Definition | undefined)?.[field.slice('data.'.length)];
  if (field !== 'schedule') return definition[field];
  const kind = SCHEDULE_KINDS.find((each) => definition[each] !== undefined);
  return kind && definition[kind];
}

export function confirmDrop(target: Target, owner: Owner, onDone: () => void): void {
  confirmAction({
    title: `Drop the override of ${target.name}?`,
    body: `Restores the definition declared in ${originText(owner)}. The edit is deleted and cannot be restored.`,
    confirmLabel: 'Drop override',
    isDestructive: true,
    act: () => call('overrides.drop', { ...target }).then(onDone),
  });
}

/** Note in an editor that explains the effect of saving a declared definition. */
export function OwnershipNote({ owner }: { readonly owner: Owner | null | undefined }) {
  if (!owner || (owner.kind !== 'code' && owner.kind !== 'file')) return null;
  const effect = {
    override: 'Your change becomes an override. It stays until you drop it.',
    codeWins: 'The next start of a node reverts your change.',
    refuse: 'Saving is refused. Change the definition there.',
  }[owner.onDeclaredEdit];
  return (
    <p class="lead" role="note">
      Declared in {originText(owner)}. {effect}
    </p>
  );
}

export function OverrideMark({ isOverridden }: { readonly isOverridden: boolean | undefined }) {
  if (!isOverridden) return null;
  return (
    <>
      {' · '}
      <a href={href(['overrides'])} title="Declared in code or a file, and edited manually">
        overridden
      </a>
    </>
  );
}
