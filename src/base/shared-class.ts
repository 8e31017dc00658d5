import { isPlain } from './error-values';

/* Several copies of this package may be loaded in one process: two versions, a bundle beside node_modules, or a test runner that resets modules. */

/**
 * Makes `instanceof` true for objects that another copy of this package created with its class of the same name. The class must not use private
 * members of an object that it has tested in this way. Subclasses of users are tested as usual.
 */
export function sharedClass(ownClass: { readonly prototype: object }, name: string): void {
  const brand = Symbol.for(`quartz-ts.${name}`);
  Object.defineProperty(ownClass.prototype, brand, { value: true });
  Object.defineProperty(ownClass, Symbol.hasInstance, {
    value(this: unknown, tested: unknown) {
      if (this !== ownClass) return Function.prototype[Symbol.hasInstance].call(this as () => void, tested);
      return typeof tested === 'object' && tested !== null && isPlain(tested, [brand]) && brand in tested;
    },
  });
}

/** Returns the value of this name that all copies of this package in the process share. The first copy that asks creates it. */
export function sharedValue<T>(name: string, create: () => T): T {
  const values = globalThis as unknown as Record<symbol, T>;
  const key = Symbol.for(`quartz-ts.${name}`);
  values[key] ??= create();
  return values[key];
}
