import { type NodeJobTypes, typesOfNobody } from '../../../src/domain/job-types';

const node = (jobTypes: readonly string[] | null): NodeJobTypes => ({ instanceId: 'a', isJava: false, jobTypes });
const java: NodeJobTypes = { instanceId: 'j', isJava: true, jobTypes: null };

describe('job types that nobody has', () => {
  it.each<[string, readonly string[], readonly NodeJobTypes[], readonly string[]]>([
    ['no node', ['mail'], [], ['mail']],
    ['the type on another node', ['mail', 'report'], [node(['report'])], ['mail']],
    ['a node that does not say', ['mail'], [node(['report']), node(null)], []],
    ['a Java node, and a class', ['com.example.MailJob', 'mail'], [java], ['mail']],
    ['a Java node, and an inner class', ['com.example.Jobs$Mail'], [java], []],
    [
      'a Java node, and what is no class',
      ['mail.txt job', '../mail', 'mail.'],
      [java],
      ['mail.txt job', '../mail', 'mail.'],
    ],
    ['no Java node, and a class', ['com.example.MailJob'], [node([])], ['com.example.MailJob']],
  ])('with %s', (_, types, nodes, missing) => {
    expect(typesOfNobody(types, nodes)).toEqual(missing);
  });
});
