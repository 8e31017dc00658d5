/** Labels of operations that cannot be derived from their names. */
const TEXTS: Readonly<Record<string, string>> = {
  'runs.rerun': 'Rerun',
  'firings.interrupt': 'Interrupt run',
  'jobs.interrupt': 'Interrupt runs of job',
  'deadLetters.rerun': 'Rerun dead letters',
  'deadLetters.discard': 'Discard dead letters',
  'deadLetters.setRetries': 'Set retries of dead letters',
  'schedule.apply': 'Apply schedule file',
  'doctor.repair': 'Repair states',
  'scheduler.pauseAll': 'Pause all triggers',
  'scheduler.resumeAll': 'Resume all triggers',
};

/** Returns the label of an operation: "Pause trigger" for `triggers.pause`, "Pause triggers" for `triggers.pauseMany`. */
export function actionText(operation: string): string {
  const known = TEXTS[operation];
  if (known !== undefined) return known;
  const [area = '', verb = ''] = operation.split('.');
  const isMany = verb.endsWith('Many');
  const word = isMany ? verb.slice(0, -'Many'.length) : verb;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} ${isMany ? area : area.replace(/s$/, '')}`.trim();
}
