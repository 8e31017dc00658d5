import type { Milestone, Noted, Start } from '../../cluster/support/history';
import { describeStart, type Facts } from './facts';

/** Checks that every run was fired in the database by its node, with an id of its own. */
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

/** Events that must not happen: unjustified failovers and fencing, repaired states, and crashes. */
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
