/** A piece of an expression, in upper case, and where it begins. */
export interface CronText {
  readonly text: string;
  /** Offset in the whole expression, counted from 0. */
  readonly position: number;
}

/** The fields of an expression: Quartz splits at blanks and tabs only, and then drops control characters around each. */
export function splitFields(expression: string): CronText[] {
  return split(expression, /[^ \t]+/g, 0).map(({ text, position }) => {
    const start = text.search(/[^\0- ]/);
    return start < 0
      ? { text: '', position }
      : { text: text.slice(start).replace(/[\0- ]+$/, ''), position: position + start };
  });
}

/** The items of a field; empty ones are skipped, as in Quartz. */
export function splitItems(field: CronText): CronText[] {
  return split(field.text, /[^,]+/g, field.position);
}

function split(text: string, piece: RegExp, offset: number): CronText[] {
  return Array.from(text.matchAll(piece), (match) => ({
    text: match[0].toUpperCase(),
    position: offset + match.index,
  }));
}
