/** Blocks its thread and never ends. */
export default async ({ progress, attempt, log }) => {
  log.warn('spins');
  progress(0.1);
  for (;;) if (attempt < 0) return;
};
