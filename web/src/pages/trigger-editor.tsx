import { useState } from 'preact/hooks';
import { call } from '../state/api';
import { go, href, place } from '../state/router';
import { type Editing, useDraft } from '../state/use-draft';
import { Panel } from '../ui/basics';
import { Conflict, isConflict } from '../ui/conflict';
import { mayRun } from '../ui/deeds';
import {
  KIND_WORDS,
  KINDS,
  type Kind,
  SCHEDULES,
  TIME_FIELDS,
  TRIGGER_FIELDS,
  TRIGGER_POLICY_FIELDS,
  timeFieldsOf,
} from '../ui/definition-fields';
import { type Definition, editOf, type FieldSpec, readDraft, shownOf } from '../ui/draft';
import { EditorFoot } from '../ui/editor-foot';
import { type FieldErrors, Fields, fieldErrors, More } from '../ui/form';
import { Heading } from '../ui/frame';
import { keyText } from '../ui/links';
import { NotAllowed } from '../ui/not-allowed';
import { Preview } from '../ui/preview';

const KEY_FIELDS: readonly FieldSpec[] = [
  { name: 'name', kind: 'text', isRequired: true, hint: 'Cannot be changed later.' },
  { name: 'group', kind: 'text', hint: 'Empty: that of its job.' },
];
const JOB_OF_TRIGGER: readonly FieldSpec[] = [
  { name: 'job.name', kind: 'text', isRequired: true, hint: 'The job that it fires.' },
  { name: 'job.group', kind: 'text', hint: 'Empty: DEFAULT.' },
];
const COMMON = [...JOB_OF_TRIGGER, ...TRIGGER_FIELDS, ...TRIGGER_POLICY_FIELDS];
const ALL = [...COMMON, ...TIME_FIELDS, ...Object.values(SCHEDULES).flat()];

/** The fields that count for a kind of schedule. */
const specsOf = (kind: Kind): readonly FieldSpec[] => [...COMMON, ...timeFieldsOf(kind), ...SCHEDULES[kind]];

function kindOf({ draft, loaded }: Editing): Kind {
  const chosen = KINDS.find((kind) => kind === draft.kind);
  return chosen ?? KINDS.find((kind) => loaded?.definition[kind] !== undefined) ?? 'cron';
}

/** A form for a new trigger, or for one that is stored. */
export function TriggerEditor() {
  const { path, query } = place.value;
  const [first, group = '', name = ''] = path;
  const isNew = first === 'new-trigger';
  const editing = useDraft({
    specs: ALL,
    load: isNew ? null : () => call('triggers.show', { group, name, count: 0 }),
    initial: { 'job.name': query.get('job') ?? '', 'job.group': query.get('jobGroup') ?? '' },
  });
  const kind = kindOf(editing);
  const specs = isNew ? [...KEY_FIELDS, ...specsOf(kind)] : specsOf(kind);
  const errors = fieldErrors(
    editing.error,
    specs.map((spec) => spec.name),
  );
  const text = keyText({ group, name });
  return (
    <>
      <Heading title={isNew ? 'New trigger' : `Edit ${text}`} crumbs={[['Triggers', ['triggers']]]} />
      {!mayRun(isNew ? 'triggers.add' : 'triggers.edit') ? (
        <NotAllowed />
      ) : (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            void editing.save(() => (isNew ? addTrigger(editing) : editTrigger(editing, { group, name })));
          }}
        >
          {editing.newer !== null && isConflict(editing.error) && (
            <Conflict
              before={shownOf(editing.loaded?.definition ?? {}, ALL)}
              stored={shownOf(editing.newer.definition, ALL)}
              mine={readDraft(editing.draft, specsOf(kind))}
              onLoad={editing.load}
              onKeep={() => editing.rebase(specsOf(kind))}
            />
          )}
          <TriggerFields editing={editing} errors={errors} isNew={isNew} />
          <EditorFoot
            editing={editing}
            error={isConflict(editing.error) ? undefined : errors['']}
            deed={isNew ? 'Add the trigger' : 'Save'}
            back={href(isNew ? ['triggers'] : ['triggers', group, name])}
          />
        </form>
      )}
    </>
  );
}

function TriggerFields({
  editing,
  errors,
  isNew,
}: {
  readonly editing: Editing;
  readonly errors: FieldErrors;
  readonly isNew: boolean;
}) {
  const kind = kindOf(editing);
  const [problem, setProblem] = useState<Error | null>(null);
  const ofSchedule = fieldErrors(
    problem,
    [...SCHEDULES[kind], ...timeFieldsOf(kind)].map(({ name }) => name),
  );
  const state = { draft: editing.draft, errors: { ...ofSchedule, ...errors }, set: editing.set };
  const isSaid = ({ name }: FieldSpec) => (editing.draft[name] ?? '') !== '' || errors[name] !== undefined;
  return (
    <>
      <Panel title="Trigger">
        <div class="body grid">
          {isNew && <Fields specs={KEY_FIELDS} state={state} />}
          <Fields specs={JOB_OF_TRIGGER} state={state} />
        </div>
      </Panel>
      <Panel title="When it fires">
        <div class="body">
          <KindChoice kind={kind} onChoose={(next) => editing.set('kind', next)} />
          <div class="grid">
            <Fields specs={SCHEDULES[kind]} state={state} />
            <Fields specs={timeFieldsOf(kind)} state={state} />
          </div>
        </div>
      </Panel>
      <div class="aside">
        <Preview given={scheduleGiven(editing, kind)} onProblem={setProblem} />
      </div>
      <Panel title="More">
        <div class="body grid">
          <Fields specs={TRIGGER_FIELDS} state={state} />
        </div>
      </Panel>
      <More title="Limits and retries" isOpen={TRIGGER_POLICY_FIELDS.some(isSaid)}>
        <Fields specs={TRIGGER_POLICY_FIELDS} state={state} />
      </More>
    </>
  );
}

/** What the preview is asked with; null: what is typed cannot be read yet. */
function scheduleGiven({ draft }: Editing, kind: Kind): Definition | null {
  try {
    return readDraft(draft, [...SCHEDULES[kind], ...timeFieldsOf(kind)]);
  } catch {
    return null;
  }
}

function KindChoice({ kind, onChoose }: { readonly kind: Kind; readonly onChoose: (kind: Kind) => void }) {
  return (
    <fieldset class="choice">
      <legend class="unseen">Kind of schedule</legend>
      {KINDS.map((each) => (
        <label key={each}>
          <input type="radio" name="kind" checked={each === kind} onChange={() => onChoose(each)} />
          <span>{KIND_WORDS[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

async function addTrigger(editing: Editing): Promise<void> {
  const specs = [...KEY_FIELDS, ...specsOf(kindOf(editing))];
  const given = readDraft(editing.draft, specs) as { name: string; job: { name: string; group?: string } };
  const { key } = await call('triggers.add', given);
  go(['triggers', key.group, key.name]);
}

async function editTrigger(editing: Editing, key: { readonly group: string; readonly name: string }): Promise<void> {
  const { draft, loaded } = editing;
  if (loaded === null) return;
  const kind = kindOf(editing);
  const now = readDraft(draft, specsOf(kind));
  const { changed, clear } = editOf(now, shownOf(loaded.definition, ALL));
  await call('triggers.edit', {
    ...changed,
    ...scheduleOf(kind, now, changed),
    ...(clear.length === 0 ? {} : { clear: clear as 'cron'[] }),
    ...key,
    ifVersion: loaded.version,
  });
  go(['triggers', key.group, key.name]);
}

/** A schedule is given as a whole: it takes the place of the one before. */
function scheduleOf(kind: Kind, now: Definition, changed: Definition): Definition {
  const names = SCHEDULES[kind].map(({ name }) => name.split('.')[0] ?? '');
  if (!names.some((name) => name in changed)) return {};
  return Object.fromEntries(Object.entries(now).filter(([name]) => names.includes(name)));
}
