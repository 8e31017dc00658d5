/** Waits for its signal. */
export default async ({ signal, progress, data, attempt }) => {
  progress(0.2);
  if (attempt > 1) return { summary: 'not again' };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  if (data.fails) throw signal.reason;
  return { summary: 'stopped by itself' };
};
