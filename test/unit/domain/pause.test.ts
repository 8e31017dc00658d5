import { type ExplainedPause, explainedBy, type PauseTarget, pauseOf } from '../../../src/domain/pause';

const key = { group: 'g', name: 't' };
const jobKey = { group: 'jobs', name: 'j' };

const pause = (target: PauseTarget, since: number): ExplainedPause => ({
  target,
  reason: null,
  by: null,
  since,
  until: null,
});

const ofTrigger = pause({ kind: 'trigger', key }, 1);
const ofGroup = (since: number) => pause({ kind: 'triggers', matcher: { operator: 'equals', value: 'g' } }, since);
const ofPrefix = pause({ kind: 'triggers', matcher: { operator: 'startsWith', value: 'g' } }, 3);
const ofOthers = pause({ kind: 'triggers', matcher: { operator: 'equals', value: 'other' } }, 9);

describe.each([
  ['pauseOf', pauseOf],
  [
    'explainedBy',
    (trigger: Parameters<typeof pauseOf>[0], pauses: readonly ExplainedPause[]) => explainedBy(pauses)(trigger),
  ],
] as const)('%s finds', (_, find) => {
  it('the most specific pause, even if a later one exists', () => {
    expect(find({ key, jobKey }, [ofGroup(5), ofTrigger, ofOthers])).toBe(ofTrigger);
  });

  it('the latest of several equally specific pauses', () => {
    const later = ofGroup(5);
    expect(find({ key, jobKey }, [ofPrefix, later])).toBe(later);
    expect(find({ key, jobKey }, [later, ofPrefix])).toBe(later);
  });

  it('no pause of another group', () => {
    expect(find({ key, jobKey }, [ofOthers])).toBeNull();
  });
});
