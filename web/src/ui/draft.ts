/** A field of a form, by its name in a schedule file; `simple.interval` stands inside of `simple`. */
export interface FieldSpec {
  readonly name: string;
  /** `form`: a text, or JSON of one of several shapes. `list`: words with commas between them. */
  readonly kind: 'text' | 'form' | 'flag' | 'number' | 'choice' | 'list' | 'data' | 'time';
  readonly hint: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
}

/** What stands in the fields, as typed; a field that says nothing is empty. */
export type Draft = Readonly<Record<string, string>>;
export type Definition = Readonly<Record<string, unknown>>;

/** A day of every year may stand as a month and a day: `12-25`. */
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

/** A definition as the fields show it. */
export function draftOf(definition: Definition, specs: readonly FieldSpec[]): Draft {
  return Object.fromEntries(specs.map((spec) => [spec.name, shownValue(within(definition, spec.name), spec)]));
}

/** What somebody typed is not what the field is for. */
export class DraftError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'DraftError';
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
    throw new DraftError(name, `expected ${kind === 'number' ? 'a number' : 'JSON'}: ${(error as Error).message}`);
  }
}

/** The fields that say something, as a definition. Throws `DraftError`. */
export function readDraft(draft: Draft, specs: readonly FieldSpec[]): Definition {
  const read: Record<string, unknown> = {};
  for (const spec of specs) {
    const text = draft[spec.name] ?? '';
    if (text.trim() === '') continue;
    const [outer = '', inner] = spec.name.split('.');
    const value = readValue(text, spec);
    read[outer] = inner === undefined ? value : { ...(read[outer] as Definition | undefined), [inner]: value };
  }
  return read;
}

/** What an edit says: the fields that are not as they were, and those that are gone. */
export function editOf(
  now: Definition,
  before: Definition,
): { readonly changed: Definition; readonly clear: string[] } {
  const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  const clear = Object.keys(before).filter((name) => !(name in now));
  return { changed: Object.fromEntries(changed), clear };
}

/** What of a definition the fields show. */
export function shownOf(definition: Definition, specs: readonly FieldSpec[]): Definition {
  const names = new Set(specs.map(({ name }) => name.split('.')[0]));
  return Object.fromEntries(Object.entries(definition).filter(([name]) => names.has(name)));
}
