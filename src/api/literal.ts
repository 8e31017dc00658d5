/** True for a string literal. False for `string` and for template types such as `${number}m`, whose text the compiler does not know. */
export type IsLiteral<Text extends string> = Record<never, never> extends Readonly<Record<Text, 1>> ? false : true;

/** True for `any`, the only type that takes both branches of a condition. */
export type IsAny<Type> = [true] extends [Type extends never ? true : false] ? true : false;

export type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
