import type { Author } from '../domain/override';
import type { OperationContext } from './operation-context';

/** Author of a change made through an operation. It counts as made by hand, so an edit of a declared definition is kept under the author's name. */
export function authorOf({ actor }: Pick<OperationContext, 'actor'>): Author {
  return { by: actor.name, via: actor.via };
}
