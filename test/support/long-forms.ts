/** True for `npm run test:long`, which runs the long forms of the suites that try one thing in many ways. */
export const IS_LONG = process.env.LONG_FORMS !== undefined;
