import type { Author } from '../domain/override';
import type { OperationContext } from './operation-context';

/** Returns the author of a change made through an operation. It counts as a manual edit, so an edited declaration is kept under the author's name. */
export function authorOf({ actor }: Pick<OperationContext, 'actor'>): Author {
  return { by: actor.name, via: actor.via };
}
