import { namedTexts } from '../runtime/statements';

const textOf = namedTexts('mysql', 'session.sql');

/** Returns the text of a statement of session.sql. */
export const sessionText = (name: string): string => textOf(name).text;
