import type { Milestone, Noted, Start } from '../../cluster/support/history';
import { describeStart, type Facts } from './facts';

/** I7: what begins was fired, by that node, in the database, under an id of its own. */
export function judgeRegistration({ starts, audit, nodesOf }: Facts) {
  const fired = new Set(
    audit
      .filter(({ state }) => state === 'EXECUTING')
      .flatMap(({ entryId, instanceName }) => nodesOf(instanceName).map((node) => `${node} ${entryId}`)),
  );
  const seen = new Set<string>();
  const isRepeated = ({ id }: Start) => seen.has(id) || !seen.add(id);
  return {
    neverFired: starts.filter(({ node, id }) => !fired.has(`${node} ${id}`)).map(describeStart),
    sameId: starts.filter(isRepeated).map(describeStart),
  };
}

/** I21 and the like: what the nodes said that they should not have had to say. */
export function judgeEvents({ events, history, killed, fenced, nodesOf }: Facts) {
  const of = (type: string) => events.filter((event) => event.type === type);
  const mayBeGone = (node: string) => killed.has(node) || fenced === 'all' || fenced.has(node);
  return {
    falseFailOvers: of('nodeFailed')
      .filter(({ instanceId = '' }) => !nodesOf(instanceId).some(mayBeGone))
      .map(describeEvent),
    fencedForNothing: of('nodeFenced')
      .filter(({ node }) => fenced !== 'all' && !fenced.has(node))
      .map(describeEvent),
    statesRepaired: of('statesRepaired').map(describeEvent),
    crashes: history
      .filter((line): line is Milestone => line.line === 'crash')
      .map(({ node, error = '' }) => `${node}: ${error}`),
  };
}

function describeEvent({ node, type, instanceId = '', error = '', reason = '' }: Noted): string {
  return [node, type, instanceId, reason, error].filter((part) => part !== '').join(' ');
}
