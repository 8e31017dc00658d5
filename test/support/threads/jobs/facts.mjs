/** Returns all facts that the job can see. */
export default async (context) => {
  const { log, signal, report, progress, checkpoint, ...facts } = context;
  log.info('begun', { by: 'the thread', wrong: undefined });
  log.error(new Error('a line'));
  progress(0.5, 'half');
  report({ metrics: { pages: 3 } });
  report({ summary: JSON.stringify({ ...facts, isAborted: signal.aborted, keys: Object.keys(context).sort() }) });
};
