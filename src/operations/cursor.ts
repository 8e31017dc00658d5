import type { z } from 'zod';
import { readJson } from '../base/read-json';
import { invalidField } from './problem';

/** Encodes a position in a list as a cursor. The position consists of the sort values of a page's last item. */
export function cursorOf(place: readonly (string | number | boolean | null)[]): string {
  return JSON.stringify(place);
}

/** Decodes a cursor that `cursorOf` encoded. Throws INVALID_INPUT for anything else. */
export function placeIn<Place extends z.ZodType>(after: string, schema: Place): z.output<Place> {
  return placeAfter(after, (text) => {
    const { success, data } = schema.safeParse(readJson(text));
    return success ? data : null;
  });
}

/** Decodes a cursor with `placeOf`. Throws INVALID_INPUT if that returns null. */
export function placeAfter<Place>(after: string, placeOf: (text: string) => Place | null): Place {
  const place = placeOf(after);
  if (place !== null) return place;
  throw invalidField('after', 'expected the value of `next` from the previous page');
}
