import { hostname } from 'node:os';
import { newInstanceId, systemRandom } from '../base/ids';
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
  { scheduler }: ConfigTree,
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
      return { instanceId: hostname(), problems: [] };
    case 'environment': {
      const capitals = systemPropertyName.toUpperCase().replace(/[^A-Z0-9]/g, '_');
      const value = env[systemPropertyName] ?? env[capitals];
      if (value !== undefined && value !== '') return { instanceId: `${prepend}${value}${postpend}`, problems: [] };
      const message = `expected the environment variable ${capitals} to hold the instance id, found it missing; set it, or use AUTO`;
      return { instanceId: '', problems: [problemAt(tree, { path: ['scheduler', 'instanceId'], message })] };
    }
  }
}
