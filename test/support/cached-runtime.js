const { AsyncLocalStorage } = require('node:async_hooks');
const { statSync } = require('node:fs');
const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** Compiled modules of this worker, by file. */
const compiled = new Map();

/** Transformed modules of this worker, by file and module format, valid while their files do not change. */
const transformed = new Map();

/** Async storages of the current test file. While one is enabled, every promise of the process is slower (Node < 24). */
const storages = new Set();
for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    storages.add(this);
    return original.apply(this, args);
  };
}

/**
 * Jest's runtime without costs that grow with the number of test files: a worker reads, transforms and compiles each module once instead of once per
 * test file, and disables the async storages of finished files. Each test file still evaluates its modules in a new global object.
 */
module.exports = class CachedRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor, transformCache } = this;
    if (
      typeof executor?.compile !== 'function' ||
      !Array.isArray(executor.injectedModuleParameters) ||
      typeof transformCache?.transform !== 'function' ||
      !(transformCache.transforms instanceof Map && transformCache.sourceMaps instanceof Map)
    )
      throw new Error(
        'jest-runtime has changed: adapt test/support/cached-runtime.js, or remove `runtime` from jest.config.js',
      );
    const transform = transformCache.transform.bind(transformCache);
    transformCache.transform = (filename, options) => {
      const key = `${filename}\0${JSON.stringify(options)}`;
      const { mtimeMs } = statSync(filename);
      const before = transformed.get(key);
      if (before?.mtimeMs !== mtimeMs) {
        const code = transform(filename, options);
        const file = transformCache.transforms.get(filename);
        transformed.set(key, { mtimeMs, code, file, sourceMap: transformCache.sourceMaps.get(filename) });
        return code;
      }
      if (before.file !== undefined) transformCache.transforms.set(filename, before.file);
      if (before.sourceMap !== undefined) transformCache.sourceMaps.set(filename, before.sourceMap);
      return before.code;
    };
    const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    executor.compile = (text, filename) => {
      const context = executor.environment.getVmContext();
      if (context === null) return null;
      let module = compiled.get(filename);
      if (module?.text !== text) {
        module = { text, script: new Script(`${head}${text}\n})`, { filename, columnOffset: -head.length }) };
        compiled.set(filename, module);
      }
      return module.script.runInContext(context);
    };
  }

  teardown() {
    super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
  }
};
