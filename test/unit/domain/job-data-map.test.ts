import { JobDataMap } from '../../../src/domain/job-data-map';

const map = new JobDataMap({
  text: 'hello',
  int: 42,
  long: 2 ** 40,
  double: 1.5,
  yes: true,
  intText: '-42',
  longText: '1099511627776',
  doubleText: '1.5e3',
  yesText: 'TRUE',
  isoDate: '2026-03-01T06:00:00Z',
  nothing: null,
});

describe('JobDataMap', () => {
  it('reads values by their type', () => {
    expect(map.getString('text')).toBe('hello');
    expect(map.getInt('int')).toBe(42);
    expect(map.getLong('long')).toBe(2 ** 40);
    expect(map.getDouble('double')).toBe(1.5);
    expect(map.getBoolean('yes')).toBe(true);
    expect(map.getDate('isoDate')).toEqual(new Date('2026-03-01T06:00:00Z'));
    expect(map.getDate('long')).toEqual(new Date(2 ** 40));
    expect(map.get('nothing')).toBeNull();
  });

  it('reads values stored as text', () => {
    expect(map.getIntFromString('intText')).toBe(-42);
    expect(map.getLongFromString('longText')).toBe(2 ** 40);
    expect(map.getDoubleFromString('doubleText')).toBe(1_500);
    expect(map.getBooleanFromString('yesText')).toBe(true);
    expect(map.getBooleanFromString('text')).toBe(false);
  });

  it('reads values stored either way', () => {
    expect([map.getIntValue('int'), map.getIntValue('intText')]).toEqual([42, -42]);
    expect([map.getLongValue('long'), map.getLongValue('longText')]).toEqual([2 ** 40, 2 ** 40]);
    expect([map.getDoubleValue('double'), map.getDoubleValue('doubleText')]).toEqual([1.5, 1_500]);
    expect([map.getBooleanValue('yes'), map.getBooleanValue('yesText')]).toEqual([true, true]);
  });

  it('knows its keys, and none that objects inherit', () => {
    expect(map.size).toBe(11);
    expect(map.keys()).toContain('int');
    expect(map.containsKey('nothing')).toBe(true);
    expect(map.containsKey('toString')).toBe(false);
    expect(map.get('constructor')).toBeUndefined();
  });

  it.each([
    ['a number as text', () => map.getString('int'), /a string in job data under 'int', found a number\.$/],
    ['a fraction as int', () => map.getInt('double'), /32 bits in job data under 'double', found another number\.$/],
    ['a long as int', () => map.getInt('long'), /32 bits.*found another number\.$/],
    ['a text as long', () => map.getLong('longText'), /a safe integer.*found a string\.$/],
    ['null as double', () => map.getDouble('nothing'), /a number.*found null/],
    ['a text as boolean', () => map.getBoolean('yesText'), /true or false.*found a string\.$/],
    ['a text that is no int', () => map.getIntFromString('doubleText'), /32 bits as text.*found other text\.$/],
    ['a text that is no number', () => map.getDoubleFromString('text'), /a number as text.*found other text\.$/],
    ['a text that is no date', () => map.getDate('text'), /a date.*found other text\.$/],
    ['a missing key', () => map.getInt('missing'), /under 'missing', found no such key \(keys: text, int,.*…\)/],
    ['a key of empty data', () => new JobDataMap({}).getInt('a'), /no such key \(keys: none\)/],
  ])('refuses %s, naming key, expected and found', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
    expect(read).toThrow(message);
  });
});
