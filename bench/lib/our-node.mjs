import { fileURLToPath } from 'node:url';
import { LineNode } from './line-node.mjs';
import { argumentsOf } from './settings.mjs';

const NODE = fileURLToPath(new URL('../our-node.mjs', import.meta.url));

/** Starts one of the modes of our node; `nodeArguments` are Node's. */
export function ourNode(mode, values, nodeArguments = []) {
  return new LineNode(process.execPath, [...nodeArguments, NODE, mode, ...argumentsOf(values)]);
}
