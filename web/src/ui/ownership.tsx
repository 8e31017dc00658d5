import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { Panel } from './basics';
import { ask } from './confirm';
import { mayRun } from './deeds';
import { DefinitionFacts } from './definition';
import { timeText } from './format';

type Shown = Pick<OutputOf<'triggers.show'>, 'owner' | 'override'>;
type Owner = NonNullable<Shown['owner']>;

const KINDS: Readonly<Record<Owner['kind'], string>> = {
  code: 'code',
  file: 'a schedule file',
  console: 'the console',
  http: 'HTTP',
  command: 'a command',
};

/** "schedule.yaml (set nightly)". */
function placeOf({ kind, file, set, version }: Owner): string {
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
  shown: { owner, override },
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
      {override?.fields.map(({ field, by, at }) => (
        <p class="body" key={field}>
          <code>{field}</code> edited by {by ?? 'the program'}, {timeText(at)}.
        </p>
      ))}
      {override?.declared && (
        <>
          <p class="body">As declared:</p>
          <DefinitionFacts definition={override.declared} />
        </>
      )}
    </Panel>
  );
}

function askDrop(subject: Subject, owner: Owner, onDone: () => void): void {
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
  return isOverridden ? <span title="Declared by code or a file, and edited by hand"> · overridden</span> : null;
}
