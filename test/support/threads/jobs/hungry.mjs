/** Allocates memory until none is left. */
export default async ({ log }) => {
  log.info('hungry');
  const all = [];
  for (;;) all.push(new Array(100_000).fill(all.length));
};
