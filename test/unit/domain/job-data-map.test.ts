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
  it('returns values of the requested type', () => {
    expect(map.getString('text')).toBe('hello');
    expect(map.getInt('int')).toBe(42);
    expect(map.getLong('long')).toBe(2 ** 40);
    expect(map.getDouble('double')).toBe(1.5);
    expect(map.getBoolean('yes')).toBe(true);
    expect(map.getDate('isoDate')).toEqual(new Date('2026-03-01T06:00:00Z'));
    expect(map.getDate('long')).toEqual(new Date(2 ** 40));
    expect(map.get('nothing')).toBeNull();
  });

  it('parses values stored as strings', () => {
    expect(map.getIntFromString('intText')).toBe(-42);
    expect(map.getLongFromString('longText')).toBe(2 ** 40);
    expect(map.getDoubleFromString('doubleText')).toBe(1_500);
    expect(map.getBooleanFromString('yesText')).toBe(true);
    expect(map.getBooleanFromString('text')).toBe(false);
  });

  it('returns values that are stored as their own type or as strings', () => {
    expect([map.getIntValue('int'), map.getIntValue('intText')]).toEqual([42, -42]);
    expect([map.getLongValue('long'), map.getLongValue('longText')]).toEqual([2 ** 40, 2 ** 40]);
    expect([map.getDoubleValue('double'), map.getDoubleValue('doubleText')]).toEqual([1.5, 1_500]);
    expect([map.getBooleanValue('yes'), map.getBooleanValue('yesText')]).toEqual([true, true]);
  });

  it('has only its own keys, not inherited ones', () => {
    expect(map.size).toBe(11);
    expect(map.keys()).toContain('int');
    expect(map.containsKey('nothing')).toBe(true);
    expect(map.containsKey('toString')).toBe(false);
    expect(map.get('constructor')).toBeUndefined();
  });

  it.each([
    ['a number as a string', () => map.getString('int'), /a string in job data under 'int', found a number\.$/],
    ['a fraction as an int', () => map.getInt('double'), /32 bits in job data under 'double', found another number\.$/],
    ['a long as an int', () => map.getInt('long'), /32 bits.*found another number\.$/],
    ['a string as a long', () => map.getLong('longText'), /a safe integer.*found a string\.$/],
    ['null as a double', () => map.getDouble('nothing'), /a number.*found null/],
    ['a string as a boolean', () => map.getBoolean('yesText'), /true or false.*found a string\.$/],
    ['a string that is not an int', () => map.getIntFromString('doubleText'), /32 bits as text.*found other text\.$/],
    ['a string that is not a number', () => map.getDoubleFromString('text'), /a number as text.*found other text\.$/],
    ['a string that is not a date', () => map.getDate('text'), /a date.*found other text\.$/],
    ['a missing key', () => map.getInt('missing'), /under 'missing', found no such key \(keys: text, int,.*…\)/],
    ['a key of empty data', () => new JobDataMap({}).getInt('a'), /no such key \(keys: none\)/],
  ])('rejects %s with the key, the expected type and the found type', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
    expect(read).toThrow(message);
  });
});
