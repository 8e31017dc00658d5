import { owesAnswer, type ServerProcess } from '../../../../src/store/sql/mysql/server-processes';

const process = (Id: number, Command: string, Time: number, Info: string | null = null): ServerProcess => ({
  Id,
  Command,
  Time,
  Info,
});
const asker = process(7, 'Query', 0, 'SHOW PROCESSLIST');

describe('what a server says of a connection without an answer', () => {
  it.each([
    ['it runs a statement', [asker, process(5, 'Execute', 9, 'SELECT …')], true],
    ['it rolls back', [asker, process(5, 'Killed', 9)], true],
    ['it waits for a statement: the answer went astray, or the statement', [asker, process(5, 'Sleep', 2)], false],
    ['it has just answered', [asker, process(5, 'Sleep', 1)], true],
    ['it knows no such connection', [asker], false],
  ])('%s', (_, processes, expected) => expect(owesAnswer(5, 7, processes)).toBe(expected));

  it.each([
    ['who asks is not among them', [process(5, 'Sleep', 9)]],
    ['another one has the number of who asks', [process(7, 'Sleep', 1), process(5, 'Sleep', 9)]],
    ['it shows no statements', [process(7, 'Query', 0), process(5, 'Sleep', 9)]],
  ])('means nothing where %s, as behind a proxy', (_, processes) => expect(owesAnswer(5, 7, processes)).toBeNull());
});
