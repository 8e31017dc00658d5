import { ignoresMisfires, isMisfired, misfireTime, recoverMisfire } from '../../../src/domain/misfire';
import { everyMinute, HOUR, MINUTE, NOW, once } from '../../conformance/samples';

const clock = { now: NOW, misfireThreshold: MINUTE };

describe('isMisfired', () => {
  it('returns true from one millisecond beyond the threshold', () => {
    expect(misfireTime(clock)).toBe(NOW - MINUTE);
    expect(isMisfired(once('a', { nextFireTime: NOW - MINUTE }), clock)).toBe(false);
    expect(isMisfired(once('a', { nextFireTime: NOW - MINUTE - 1 }), clock)).toBe(true);
  });

  it('returns false for a trigger that ignores misfires or has no next fire time', () => {
    const ignoring = once('a', { nextFireTime: NOW - HOUR, misfireInstruction: 'IGNORE_MISFIRE_POLICY' });
    expect(ignoresMisfires(ignoring)).toBe(true);
    expect(isMisfired(ignoring, clock)).toBe(false);
    expect(isMisfired(once('a', { nextFireTime: null }), clock)).toBe(false);
  });
});

describe('recoverMisfire', () => {
  it('applies the misfire instruction to a misfired trigger, and returns any other trigger unchanged', () => {
    const misfired = once('a', { nextFireTime: NOW - HOUR });
    expect(recoverMisfire(misfired, null, clock)).toEqual({ ...misfired, nextFireTime: NOW });
    const late = everyMinute('a', { nextFireTime: NOW - MINUTE });
    expect(recoverMisfire(late, null, clock)).toBe(late);
  });

  it('counts missed fire times of a trigger without an end, as Quartz does by default', () => {
    const misfired = everyMinute('a', { nextFireTime: NOW - HOUR, misfireInstruction: 'SMART_POLICY' });
    const { nextFireTime, timesTriggered } = recoverMisfire(misfired, null, clock);
    expect([nextFireTime, timesTriggered - misfired.timesTriggered]).toEqual([NOW + MINUTE, 61]);
  });
});
