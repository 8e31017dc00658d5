import { hostname } from 'node:os';
import { newInstanceId, systemRandom } from '../base/ids';
import { LIMITS } from '../domain/limits';
import type { ConfigTree } from './config-schema';
import { DEFAULT_CONFIG } from './default-config';
import { type Problem, problemAt } from './problem';
import type { Environment } from './scheduler-config';
import type { SourceDocument } from './source-document';

interface Surroundings {
  readonly tree: SourceDocument;
  readonly env: Environment;
  /** Nodes of a cluster need ids that differ. */
  readonly clustered: boolean;
}

/** The id of this instance: as written, generated (`AUTO`), or read from the environment (`SYS_PROP`). */
export function resolveInstanceId(
  { scheduler }: Pick<ConfigTree, 'scheduler'>,
  { tree, env, clustered }: Surroundings,
): { readonly instanceId: string; readonly problems: readonly Problem[] } {
  const { systemPropertyName, prepend = '', postpend = '', ...generator } = scheduler.instanceIdGenerator;
  const written = scheduler.instanceId ?? (clustered ? 'AUTO' : DEFAULT_CONFIG.instanceId);
  const kind = written === 'SYS_PROP' ? 'environment' : generator.class;
  if (written !== 'AUTO' && written !== 'SYS_PROP') return { instanceId: written, problems: [] };
  switch (kind) {
    case 'simple':
      return { instanceId: newInstanceId(systemRandom), problems: [] };
    case 'hostname':
      return bounded(hostname(), tree);
    case 'environment': {
      const capitals = systemPropertyName.toUpperCase().replace(/[^A-Z0-9]/g, '_');
      const value = variable(env, systemPropertyName) ?? variable(env, capitals);
      if (value !== undefined && value !== '') return bounded(`${prepend}${value}${postpend}`, tree);
      const message = `expected the environment variable ${capitals} to hold the instance id, found it missing; set it, or use AUTO`;
      return { instanceId: '', problems: [problemAt(tree, { path: ['scheduler', 'instanceId'], message })] };
    }
  }
}

function variable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** A made id as the column holds it. */
function bounded(instanceId: string, tree: SourceDocument): ReturnType<typeof resolveInstanceId> {
  const { length } = [...instanceId];
  if (length <= LIMITS.instanceId) return { instanceId, problems: [] };
  const message = `expected an instance id of at most ${LIMITS.instanceId} characters, found a generated one of ${length}; shorten what it is made of`;
  return { instanceId: '', problems: [problemAt(tree, { path: ['scheduler', 'instanceId'], message })] };
}
