import { type CompletionInstruction, planCompletion } from '../../../src/domain/completion';
import { planFiring } from '../../../src/domain/firing';
import { jobKey } from '../../../src/domain/keys';
import type { Trigger } from '../../../src/domain/trigger';
import { everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once } from '../../conformance/samples';

const before = everyMinute('a', { nextFireTime: NOW });
const firing = planFiring({ trigger: before, jobDetail: job(), calendar: null }, 'id.1', { now: NOW });
const plan = (instruction: CompletionInstruction, stored: Trigger | null = firing.trigger) =>
  planCompletion({ firing, instruction }, stored);

describe('planCompletion', () => {
  it('changes no trigger for NOOP and RE_EXECUTE_JOB', () => {
    expect(plan('NOOP')).toEqual({ scope: 'none' });
    expect(plan('RE_EXECUTE_JOB')).toEqual({ scope: 'none' });
  });

  it('completes or fails the fired trigger, or all triggers of its job', () => {
    expect(plan('SET_TRIGGER_COMPLETE')).toEqual({ scope: 'trigger', action: 'complete' });
    expect(plan('SET_TRIGGER_ERROR')).toEqual({ scope: 'trigger', action: 'fail' });
    expect(plan('SET_ALL_JOB_TRIGGERS_COMPLETE', null)).toEqual({ scope: 'job', action: 'complete' });
    expect(plan('SET_ALL_JOB_TRIGGERS_ERROR', null)).toEqual({ scope: 'job', action: 'fail' });
  });

  it('deletes a trigger only if it has no next fire time', () => {
    expect(plan('DELETE_TRIGGER')).toEqual({ scope: 'none' });
    expect(plan('DELETE_TRIGGER', null)).toEqual({ scope: 'none' });
    const finished = { ...firing.trigger, nextFireTime: null };
    expect(plan('DELETE_TRIGGER', finished)).toEqual({ scope: 'trigger', action: 'delete' });
  });

  it.each([
    { what: 'no longer exists', stored: null },
    { what: 'has another schedule', stored: everyNoon('a', { nextFireTime: NOW + MINUTE }) },
    { what: 'has another interval', stored: { ...firing.trigger, repeatInterval: HOUR } },
    { what: 'starts at another time', stored: { ...firing.trigger, startTime: NOW + 1 } },
    { what: 'belongs to another job', stored: { ...firing.trigger, jobKey: jobKey('other') } },
    { what: 'is of another kind', stored: once('a', { repeatCount: 3 }) },
  ])('ignores a stored trigger that $what', ({ stored }) => {
    expect(plan('SET_TRIGGER_COMPLETE', stored)).toEqual({ scope: 'none' });
    expect(plan('SET_TRIGGER_ERROR', stored)).toEqual({ scope: 'none' });
  });

  it('matches the stored trigger even if it has fired again or has another priority or other data', () => {
    const later = { ...firing.trigger, nextFireTime: NOW + HOUR, timesTriggered: 60, priority: 1, data: { x: 1 } };
    expect(plan('SET_TRIGGER_COMPLETE', later)).toEqual({ scope: 'trigger', action: 'complete' });
  });
});
