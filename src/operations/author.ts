import type { Author } from '../domain/override';
import type { OperationContext } from './operation-context';

/** Returns the author of a change made through an operation. Such a change counts as a manual edit and overrides a declaration. */
export function authorOf({ actor }: Pick<OperationContext, 'actor'>): Author {
  return { by: actor.name, via: actor.via };
}
