import { z } from 'zod';
import { readJson } from '../base/read-json';
import { invalidField } from './problem';

/** Encodes a position in a list as a cursor. The position consists of the sort values of a page's last item. */
export function cursorOf(place: readonly (string | number | boolean | null)[]): string {
  return JSON.stringify(place);
}

/** Decodes a cursor that `cursorOf` encoded. Throws INVALID_INPUT for anything else. */
export function placeIn<Place extends z.ZodType>(after: string, schema: Place): z.output<Place> {
  const { success, data } = schema.safeParse(readJson(after));
  if (success) return data;
  throw invalidField('after', 'expected the value of `next` from the previous page');
}

/** Schema of a position in a list sorted by key: group and name. */
export const keyPlace = z.tuple([z.string(), z.string()]);
