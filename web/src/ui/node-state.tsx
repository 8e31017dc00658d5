import type { OutputOf } from '../../../src/operations/operations';
import { RelativeTime, State } from './basics';

type Node = Pick<OutputOf<'nodes.list'>['items'][number], 'state' | 'isDraining' | 'holdsBack'>;

export function stateOfNode({ state, isDraining, holdsBack }: Node): string {
  if (isDraining) return 'draining';
  return state === 'alive' && holdsBack !== null ? 'holding back' : state;
}

/** Badge for the state of a node. If the node leaves triggers to other nodes because its event loop was blocked, also shows since when. */
export function NodeState({ node }: { readonly node: Node }) {
  const state = stateOfNode(node);
  return (
    <>
      <State of={state} />
      {state === 'holding back' && (
        <small class="below">
          since <RelativeTime at={node.holdsBack?.since} />
        </small>
      )}
    </>
  );
}
