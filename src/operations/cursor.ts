import { z } from 'zod';
import { invalidField } from './problem';

/** Encodes a position in a list as a cursor. The position consists of the sort values of a page's last item. */
export function cursorOf(place: readonly (string | number | boolean | null)[]): string {
  return JSON.stringify(place);
}

/** Decodes a cursor that `cursorOf` encoded. Throws INVALID_INPUT for anything else. */
export function placeIn<Place extends z.ZodType>(after: string, schema: Place): z.output<Place> {
  const { success, data } = schema.safeParse(parsed(after));
  if (success) return data;
  throw invalidField('after', 'expected the value of `next` from the previous page');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Schema of a position in a list sorted by key: group and name. */
export const keyPlace = z.tuple([z.string(), z.string()]);
