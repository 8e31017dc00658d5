import { type NodeJobTypes, typesOfNobody } from '../../../src/domain/job-types';

const node = (jobTypes: readonly string[] | null): NodeJobTypes => ({ instanceId: 'a', isJava: false, jobTypes });
const java: NodeJobTypes = { instanceId: 'j', isJava: true, jobTypes: null };

describe('job types that no node has registered', () => {
  it.each<[string, readonly string[], readonly NodeJobTypes[], readonly string[]]>([
    ['no nodes', ['mail'], [], ['mail']],
    ['a node that has one of two types', ['mail', 'report'], [node(['report'])], ['mail']],
    ['a node that does not publish its types', ['mail'], [node(['report']), node(null)], []],
    ['a Java node, and a class name', ['com.example.MailJob', 'mail'], [java], ['mail']],
    ['a Java node, and an inner class name', ['com.example.Jobs$Mail'], [java], []],
    [
      'a Java node, and types that are not class names',
      ['mail.txt job', '../mail', 'mail.'],
      [java],
      ['mail.txt job', '../mail', 'mail.'],
    ],
    ['only a TypeScript node, and a class name', ['com.example.MailJob'], [node([])], ['com.example.MailJob']],
  ])('are found in a cluster with %s', (_, types, nodes, missing) => {
    expect(typesOfNobody(types, nodes)).toEqual(missing);
  });
});
