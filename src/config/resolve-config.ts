import type { Environment, LoadedConfig } from './scheduler-config';
export async function resolveSource(_source: string | object, _env: Environment): Promise<LoadedConfig> {
  throw new Error('being written');
}
