/** A store in memory has its own benchmark, with the same nodes and more of everything: runs that part of it. */
export async function inMemory({ rounds, json, svg, 'no-java': noJava }, part) {
  const { run } = await import('../memory.mjs');
  const flags = [...(json ? ['--json'] : []), ...(noJava ? ['--no-java'] : []), ...(svg ? ['--svg', svg] : [])];
  await run(['--only', part, '--rounds', String(rounds), ...flags]);
}
