/** A form field, named as in a schedule file. `simple.interval` is the field `interval` of the object `simple`. */
export interface FieldSpec {
  readonly name: string;
  /** Type of the value. `form`: a string, or JSON in one of several structures. `list`: words separated by commas. */
  readonly kind: 'text' | 'form' | 'flag' | 'number' | 'choice' | 'list' | 'data' | 'time';
  readonly hint: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
}

/** Values of the form fields, as typed. An empty string for a field without a value. */
export type FormValues = Readonly<Record<string, string>>;
export type Definition = Readonly<Record<string, unknown>>;

/** Formats an item of a list. A month and day become `12-25`. */
function itemText(item: unknown): string {
  return Array.isArray(item) ? item.map((part) => String(part).padStart(2, '0')).join('-') : String(item);
}

function shownValue(value: unknown, { kind }: FieldSpec): string {
  if (value === undefined || value === null || (kind === 'flag' && value === false)) return '';
  if (kind === 'data') return JSON.stringify(value, null, 2);
  if (kind === 'list' && Array.isArray(value)) return value.map(itemText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function within(definition: Definition, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) => (typeof value === 'object' && value ? (value as Definition)[part] : undefined),
      definition,
    );
}

export function toFormValues(definition: Definition, specs: readonly FieldSpec[]): FormValues {
  return Object.fromEntries(specs.map((spec) => [spec.name, shownValue(within(definition, spec.name), spec)]));
}

export class FormError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'FormError';
    this.field = field;
  }
}

function readValue(text: string, { kind, name }: FieldSpec): unknown {
  const given = text.trim();
  if (kind === 'flag') return given === 'true';
  if (kind === 'list')
    return given
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((item) => (/^\d+$/.test(item) ? Number(item) : item));
  const isJson =
    kind === 'data' || kind === 'number' || (kind === 'form' && /^([[{]|-?\d+$|(true|false)$)/.test(given));
  if (!isJson) return given;
  try {
    return JSON.parse(given);
  } catch (error) {
    if (kind === 'number') throw new FormError(name, `expected a number, found '${given}'`);
    throw new FormError(name, `expected JSON: ${(error as Error).message}`);
  }
}

/** Converts the values of the form fields to a definition, without empty fields. Throws `FormError`. */
export function readForm(values: FormValues, specs: readonly FieldSpec[]): Definition {
  const read: Record<string, unknown> = {};
  for (const spec of specs) {
    const text = values[spec.name] ?? '';
    if (text.trim() === '') continue;
    const [outer = '', inner] = spec.name.split('.');
    const value = readValue(text, spec);
    read[outer] = inner === undefined ? value : { ...(read[outer] as Definition | undefined), [inner]: value };
  }
  return read;
}

/** Returns the changed fields with their new values, and the names of fields that were cleared. */
export function changesBetween(
  before: Definition,
  now: Definition,
): { readonly changed: Definition; readonly clear: string[] } {
  const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  const clear = Object.keys(before).filter((name) => !(name in now));
  return { changed: Object.fromEntries(changed), clear };
}

export function pickFields(definition: Definition, specs: readonly FieldSpec[]): Definition {
  const names = new Set(specs.map(({ name }) => name.split('.')[0]));
  return Object.fromEntries(Object.entries(definition).filter(([name]) => names.has(name)));
}
