import { nodesOfBroadcast } from '../../../src/domain/shards';
import { aFiring, aJobDetail, aTrigger } from '../engine/samples';

const nodes = [
  { instanceId: 'able', isJava: false, jobTypes: ['sample'], labels: ['node:able', 'gpu'] },
  { instanceId: 'other', isJava: false, jobTypes: ['another'], labels: ['node:other', 'gpu'] },
  { instanceId: 'silent', isJava: false, jobTypes: null },
  { instanceId: 'java', isJava: true, jobTypes: null },
];

const broadcast = (runsOn?: readonly string[]) =>
  aFiring({
    jobDetail: { ...aJobDetail(), jobType: 'sample', policy: { spread: 'broadcast', ...(runsOn && { runsOn }) } },
    trigger: aTrigger(),
  });

describe('the nodes of a broadcast', () => {
  it('are those that have the job type or publish no job types, and always the firing node', () => {
    expect(nodesOfBroadcast(broadcast(), nodes, 'own')).toEqual(['able', 'own', 'silent']);
    expect(nodesOfBroadcast(broadcast(), nodes, 'able')).toEqual(['able', 'silent']);
  });

  it('have all labels that the job runs on', () => {
    expect(nodesOfBroadcast(broadcast(['gpu']), nodes, 'able')).toEqual(['able']);
    expect(nodesOfBroadcast(broadcast(['node:silent']), nodes, 'silent')).toEqual(['silent']);
  });

  it('are at most a thousand, including the firing node', () => {
    const many = Array.from({ length: 1_500 }, (_, index) => ({
      instanceId: `n${index}`,
      isJava: false,
      jobTypes: null,
    }));
    const found = nodesOfBroadcast(broadcast(), many, 'own');
    expect([found.length, found.includes('own')]).toEqual([1_000, true]);
  });
});
