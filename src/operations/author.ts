import type { Author } from '../domain/override';
import type { OperationContext } from './operation-context';

/** Who makes a change through an operation: by hand, so that an edit of what is declared is kept as theirs. */
export function authorOf({ actor }: Pick<OperationContext, 'actor'>): Author {
  return { by: actor.name, via: actor.via };
}
