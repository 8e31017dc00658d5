/** Operations whose words do not follow from their names. */
const WORDS: Readonly<Record<string, string>> = {
  'runs.rerun': 'Rerun run',
  'firings.interrupt': 'Interrupt run',
  'jobs.interrupt': 'Interrupt runs of job',
  'deadLetters.rerun': 'Rerun dead letters',
  'deadLetters.discard': 'Discard dead letters',
  'deadLetters.setRetries': 'Set retries of dead letters',
  'schedule.apply': 'Apply schedule file',
  'doctor.repair': 'Repair states',
  'scheduler.pauseAll': 'Pause everything',
  'scheduler.resumeAll': 'Resume everything',
};

/** `triggers.pause` as `Pause trigger`, `triggers.pauseMany` as `Pause triggers`. */
export function actionText(operation: string): string {
  const known = WORDS[operation];
  if (known !== undefined) return known;
  const [area = '', verb = ''] = operation.split('.');
  const isMany = verb.endsWith('Many');
  const word = isMany ? verb.slice(0, -'Many'.length) : verb;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} ${isMany ? area : area.replace(/s$/, '')}`.trim();
}
