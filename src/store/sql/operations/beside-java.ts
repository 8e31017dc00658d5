import { SchedulerError } from '../../../base/errors';
import { livingJavaNodes } from '../rows/java-nodes';
import type { NodeReader, NodeTransaction } from '../rows/node-transaction';
import { readNodes } from './check-in';

/** Reads the nodes, if their last reading is too old to decide whether new job data must have a form that Java reads. */
export async function watchJavaNodes(reader: NodeReader): Promise<void> {
  if (reader.node.javaNodes.isStale) await readNodes(reader);
}

/**
 * Refuses definitions that a Java node cannot read, if one is alive: it would fail at each acquisition, and fire nothing at all. `definitions`: what
 * cannot be read, and why. Throws UNREADABLE_FOR_JAVA, which names the nodes.
 */
export async function refuseBesideJava(tx: NodeTransaction, definitions: readonly string[]): Promise<void> {
  const [first] = definitions;
  if (first === undefined) return;
  const living = livingJavaNodes(await readNodes(tx));
  if (living.length === 0) return;
  const names = living.map((instanceId) => `'${instanceId}'`).join(', ');
  const others = definitions.length === 1 ? '' : ` and ${definitions.length - 1} more`;
  throw new SchedulerError(
    'UNREADABLE_FOR_JAVA',
    `Expected definitions that the Java ${living.length === 1 ? 'node' : 'nodes'} ${names} can read, found the ${first}${others}. ` +
      'A Java node that reads such a row fires nothing any more. Change the definition, or stop the Java nodes first.',
  );
}
