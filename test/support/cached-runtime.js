const { Script } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** Compiled modules of this worker, by file. */
const compiled = new Map();

/**
 * Jest's runtime, except that a worker compiles each module once instead of once per test file. Modules are still evaluated anew in
 * the global object of each test file. Without it, compilation takes up to a third of a short file's time.
 */
module.exports = class CachedRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    if (typeof executor?.compile !== 'function' || !Array.isArray(executor.injectedModuleParameters))
      throw new Error(
        'jest-runtime has changed: adapt test/support/cached-runtime.js, or remove `runtime` from jest.config.js',
      );
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
};
