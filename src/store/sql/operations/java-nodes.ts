import { SchedulerError } from '../../../base/errors';
import { isSilent } from '../../../domain/liveness';
import type { NodeTransaction } from '../rows/node-transaction';
import { readNodes } from './check-in';

/**
 * Refuses definitions that a Java node cannot read, if one is alive: it would fail at each acquisition, and fire nothing at all. `definitions`: what
 * cannot be read, and why. Throws UNREADABLE_FOR_JAVA, which names the nodes.
 */
export async function refuseBesideJava(tx: NodeTransaction, definitions: readonly string[]): Promise<void> {
  const [first] = definitions;
  if (first === undefined) return;
  const { now, nodes } = await readNodes(tx);
  const living = nodes.filter((each) => each.epoch === null && !isSilent(each, { now, ownLastCheckInTime: now }));
  if (living.length === 0) return;
  const names = living.map(({ instanceId }) => `'${instanceId}'`).join(', ');
  const others = definitions.length === 1 ? '' : ` and ${definitions.length - 1} more`;
  throw new SchedulerError(
    'UNREADABLE_FOR_JAVA',
    `Expected definitions that the Java ${living.length === 1 ? 'node' : 'nodes'} ${names} can read, found the ${first}${others}. ` +
      'A Java node that reads such a row fires nothing any more. Change the definition, or stop the Java nodes first.',
  );
}
