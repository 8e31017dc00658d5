import { cpus, release, totalmem } from 'node:os';

/** What the figures were seen on. */
export function machine() {
  const processors = cpus();
  return {
    node: process.version,
    processors: `${processors.length} x ${processors[0]?.model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    date: new Date().toISOString().slice(0, 10),
  };
}
