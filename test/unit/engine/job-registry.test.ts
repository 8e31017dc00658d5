import type { Job, JobObject } from '../../../src/api/scheduler';
import { JobRegistry } from '../../../src/engine/job-registry';
import { aJobDetail } from './samples';

const refused = expect.objectContaining({ code: 'INVALID_ARGUMENT' });
const resolve = (registry: JobRegistry, jobType = 'job') => registry.resolve(aJobDetail({ jobType })) as JobObject;

describe('JobRegistry', () => {
  it('lists the job types, and creates a new array only after a registration', () => {
    const registry = new JobRegistry({ a: () => {} });
    const before = registry.types();
    expect(registry.types()).toBe(before);
    registry.register('b', () => {});
    expect(registry.types()).toEqual(['a', 'b']);
    expect(before).toEqual(['a']);
    expect([registry.has('b'), registry.has('c')]).toEqual([true, false]);
  });

  it('has only registered types, even for names such as `constructor`', () => {
    const registry = new JobRegistry();
    for (const type of ['constructor', '__proto__', 'toString']) {
      expect(registry.has(type)).toBe(false);
      expect(() => resolve(registry, type)).toThrow(expect.objectContaining({ code: 'UNKNOWN_JOB_TYPE' }));
    }
    registry.register('__proto__', () => {});
    expect(registry.types()).toEqual(['__proto__']);
  });

  it('lists the registered types in the error for an unknown type', () => {
    expect(() => resolve(new JobRegistry({ a: () => {}, b: () => {} }), 'c')).toThrow(/'c'.*a, b/);
  });

  it('accepts the same job twice, but not another job under its name', () => {
    const job = () => {};
    const registry = new JobRegistry({ job });
    registry.register('job', job);
    expect(() => registry.register('job', () => {})).toThrow(refused);
  });

  it('notifies listeners of each new registration once', () => {
    const registry = new JobRegistry();
    const told = jest.fn();
    registry.onChanged(told);
    const job = () => {};
    registry.register('a', job);
    registry.register('a', job);
    expect(told).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'job'],
    ['an object without execute', {}],
    ['an instance without execute', new Date(0)],
  ])('refuses %s as a job', (_, job) => {
    expect(() => new JobRegistry().register('job', job as unknown as Job)).toThrow(refused);
  });

  it.each(['', 1, null, undefined])('refuses %p as the name of a job type', (type) => {
    expect(() => new JobRegistry().register(type as string, () => {})).toThrow(refused);
  });

  it('refuses a job factory that is not a function', () => {
    expect(() => new JobRegistry().setFactory({} as never)).toThrow(refused);
  });

  it('creates no new object per firing for a function or an object', () => {
    const object = { execute() {} };
    const registry = new JobRegistry({ job: () => {}, object });
    expect(resolve(registry)).toBe(resolve(registry));
    expect(resolve(registry, 'object')).toBe(object);
  });

  it('recognizes plain, inherited and ES5 classes, and classes with execute as a field', () => {
    class Plain {
      execute() {}
    }
    class Field {
      readonly execute = () => {};
    }
    class Inherited extends Plain {}
    /** Class in the form that compilers to ES5 emit. */
    function Old(this: object) {}
    Old.prototype.execute = () => {};
    const registry = new JobRegistry({ Plain, Field, Inherited, Old: Old as unknown as Job });
    for (const type of registry.types()) {
      expect(typeof resolve(registry, type).execute).toBe('function');
      expect(resolve(registry, type)).not.toBe(resolve(registry, type));
    }
    expect(resolve(registry, 'Inherited')).toBeInstanceOf(Plain);
  });

  it('refuses a class without execute when it first creates the job', () => {
    class Wrong {
      run() {}
    }
    const registry = new JobRegistry({ job: Wrong as unknown as Job });
    expect(() => resolve(registry)).toThrow(refused);
  });
});
