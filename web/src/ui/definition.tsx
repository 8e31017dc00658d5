import type { ComponentChildren } from 'preact';
import { Facts, Preformatted } from './basics';

type Definition = Readonly<Record<string, unknown>>;

/** Formats a value on one line, as a schedule file would contain it. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** Definition in the form of a schedule file. Its data is shown in a separate block. */
export function DefinitionFacts({
  definition,
  more = [],
}: {
  readonly definition: Definition;
  readonly more?: readonly (readonly [string, ComponentChildren])[];
}) {
  const { name: _, group: __, job: ___, data, ...fields } = definition;
  return (
    <>
      <Facts
        facts={[
          ...more,
          ...Object.entries(fields).map(([name, value]) => [name, <code key={name}>{valueText(value)}</code>] as const),
        ]}
      />
      {data !== undefined && (
        <div class="body">
          <h3>data</h3>
          <Preformatted text={JSON.stringify(data, null, 2)} />
        </div>
      )}
    </>
  );
}
