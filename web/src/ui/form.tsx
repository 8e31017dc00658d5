import type { ComponentChildren } from 'preact';
import { Problem } from '../../../src/operations/problem';
import { type FieldSpec, FormError, type FormValues } from './form-values';

/** Error messages by field name. The empty name stands for messages that belong to no field. */
export type FieldErrors = Readonly<Record<string, string>>;

export function fieldErrors(error: Error | null, names: readonly string[]): FieldErrors {
  if (error === null) return {};
  if (error instanceof FormError) return { [error.field]: error.message };
  if (!(error instanceof Problem) || error.fields.length === 0) return { '': error.message };
  const found: Record<string, string> = {};
  for (const { field, message } of error.fields) {
    const own = nameOf(field, names);
    const text = own === '' && field !== '' ? `${field}: ${message}` : message;
    found[own] = found[own] === undefined ? text : `${found[own]}; ${text}`;
  }
  return found;
}

/** Returns the form field for a field in an error: `data` for `data.list.0`, the object's first field for `simple`, or an empty string. */
function nameOf(field: string, names: readonly string[]): string {
  const outer = (name: string) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
  return names.find(outer) ?? names.find((name) => name.startsWith(`${field}.`)) ?? '';
}

interface FormState {
  readonly values: FormValues;
  readonly errors: FieldErrors;
  readonly set: (name: string, text: string) => void;
}

export function Fields({ specs, state }: { readonly specs: readonly FieldSpec[]; readonly state: FormState }) {
  return (
    <>
      {specs.map((spec) => (
        <Field key={spec.name} spec={spec} state={state} />
      ))}
    </>
  );
}

function Field({ spec, state: { values, errors, set } }: { readonly spec: FieldSpec; readonly state: FormState }) {
  const { name, kind, hint } = spec;
  const error = errors[name];
  const label = name.startsWith('job.') ? name : (name.split('.').at(-1) ?? name);
  const value = values[name] ?? '';
  const common = {
    id: `field-${name}`,
    name,
    'aria-describedby': `hint-${name}`,
    'aria-invalid': error !== undefined,
    required: spec.isRequired ?? false,
  };
  const type = (event: { readonly currentTarget: { readonly value: string } }) => set(name, event.currentTarget.value);
  if (kind === 'flag')
    return (
      <label class="field flag">
        <input
          {...common}
          type="checkbox"
          required={false}
          checked={value === 'true'}
          onChange={({ currentTarget }) => set(name, currentTarget.checked ? 'true' : '')}
        />
        <code>{label}</code>
        <Hint name={name} hint={hint} error={error} />
      </label>
    );
  return (
    <div class="field">
      <label for={common.id}>
        <code>{label}</code>
      </label>
      {kind === 'data' ? (
        <textarea {...common} rows={5} spellcheck={false} value={value} onInput={type} placeholder="{ }" />
      ) : kind === 'choice' ? (
        <select {...common} value={value} onChange={type}>
          <option value="" />
          {spec.choices?.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          spellcheck={false}
          autocomplete="off"
          value={value}
          onInput={type}
        />
      )}
      <Hint name={name} hint={hint} error={error} />
    </div>
  );
}

function Hint({
  name,
  hint,
  error,
}: {
  readonly name: string;
  readonly hint: string;
  readonly error: string | undefined;
}) {
  return (
    <small id={`hint-${name}`} class={error === undefined ? '' : 'wrong'}>
      {error ?? hint}
    </small>
  );
}

/** Collapsible section for fields that are rarely needed. */
export function More({
  title,
  isOpen,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="panel" open={isOpen}>
      <summary>{title}</summary>
      <div class="body grid">{children}</div>
    </details>
  );
}

/** Returns the trimmed value of a field in a submitted form, or undefined if it is empty. */
export function formText(form: FormData, name: string): string | undefined {
  return String(form.get(name) ?? '').trim() || undefined;
}

/** Parses a field that contains JSON. Throws an Error that names the field. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name}: expected JSON: ${(error as Error).message}`);
  }
}
