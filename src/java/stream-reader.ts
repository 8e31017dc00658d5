import { damaged, JavaInput, notRead, PRIMITIVES, shownClass } from './java-bytes';
import {
  BASE_HANDLE,
  DEEPEST,
  JAVA_NULL,
  type JavaArray,
  type JavaClass,
  type JavaContent,
  type JavaEnum,
  type JavaField,
  type JavaFieldValue,
  type JavaNode,
  type JavaObject,
  type JavaPart,
  type JavaString,
  MAGIC,
  SC,
  TC,
  VERSION,
} from './stream-format';

/* Parses a Java object serialisation stream. Loads no classes, runs no code. Each node uses at least one byte, so that the time is linear. */

/** Maximum number of superclasses. Supported classes have at most four. The limit bounds the work per object, which is read class by class. */
const MAX_PARENTS = 16;

/** Parses a stream that contains one object. Throws a TypeError for content that is not supported. */
export function readJavaStream(bytes: Uint8Array): JavaNode {
  return new JavaStreamReader(bytes).read();
}

const NO_TEXT: JavaString = { kind: 'string', bytes: new Uint8Array(), isLong: false };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

class JavaStreamReader {
  readonly #input: JavaInput;
  readonly #handles: (JavaNode | JavaClass)[] = [];
  /** Number of superclasses of each class that was read completely. A class that is its own superclass is never added. */
  readonly #parents = new Map<JavaClass, number>();
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#input = new JavaInput(bytes);
  }

  read(): JavaNode {
    if (this.#input.uint16() !== MAGIC || this.#input.uint16() !== VERSION)
      throw damaged('it does not begin with AC ED 00 05');
    return this.#node();
  }

  #node(tag: number = this.#input.uint8()): JavaNode {
    const found = this.#nested(() => this.#tagged(tag));
    if (found.kind !== 'class') return found;
    throw damaged(`it contains the class ${shownClass(found.name)} where a value was expected`);
  }

  #class(): JavaClass {
    const found = this.#classOrNone();
    if (found === null) throw damaged('it contains an object without a class');
    return found;
  }

  #classOrNone(): JavaClass | null {
    const found = this.#nested(() => this.#tagged(this.#input.uint8()));
    if (found.kind === 'null') return null;
    if (found.kind === 'class' && this.#parents.has(found)) return found;
    throw damaged('it contains another value where a class was expected');
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw notRead(`objects nested deeper than ${DEEPEST} levels`);
    const found = read();
    this.#depth -= 1;
    return found;
  }

  #tagged(tag: number): JavaNode | JavaClass {
    switch (tag) {
      case TC.NULL:
        return JAVA_NULL;
      case TC.REFERENCE:
        return this.#referred();
      case TC.STRING:
        return this.#remember({ kind: 'string', bytes: this.#text(), isLong: false });
      case TC.LONGSTRING:
        return this.#remember({ kind: 'string', bytes: this.#input.bytes(Number(this.#input.int64())), isLong: true });
      case TC.CLASSDESC:
        return this.#newClass();
      case TC.CLASS:
        return this.#remember({ kind: 'classValue', type: this.#class() });
      case TC.OBJECT:
        return this.#object();
      case TC.ARRAY:
        return this.#array();
      case TC.ENUM:
        return this.#enum();
      default:
        throw damaged(`it contains the unknown tag 0x${tag.toString(16)}`);
    }
  }

  #referred(): JavaNode | JavaClass {
    const found = this.#handles[this.#input.int32() - BASE_HANDLE];
    if (found === undefined) throw damaged('it refers to a missing object');
    return found;
  }

  #newClass(): JavaClass {
    const name = this.#input.text();
    const uid = this.#input.int64();
    const made: Mutable<JavaClass> = { kind: 'class', name, uid, flags: 0, fields: [], parent: null };
    this.#handles.push(made);
    made.flags = this.#input.uint8();
    const fields: JavaField[] = [];
    for (let left = this.#input.uint16(); left > 0; left--) fields.push(this.#fieldOfClass());
    made.fields = fields;
    if (this.#input.uint8() !== TC.ENDBLOCKDATA) throw notRead(`annotations of the class ${shownClass(name)}`);
    made.parent = this.#classOrNone();
    const parents = made.parent === null ? 0 : (this.#parents.get(made.parent) ?? 0) + 1;
    if (parents > MAX_PARENTS) throw notRead(`a class with more than ${MAX_PARENTS} superclasses`);
    this.#parents.set(made, parents);
    return made;
  }

  #fieldOfClass(): JavaField {
    const type = String.fromCharCode(this.#input.uint8());
    const name = this.#input.text();
    if (PRIMITIVES[type] !== undefined) return { type, name, signature: null };
    const signature = type === 'L' || type === '[' ? this.#node() : JAVA_NULL;
    if (signature.kind !== 'string') throw damaged('it contains a field of an unknown type');
    return { type, name, signature };
  }

  #object(): JavaObject {
    const type = this.#class();
    const parts: JavaPart[] = [];
    const made: JavaObject = { kind: 'object', type, parts };
    this.#handles.push(made);
    if ((type.flags & SC.EXTERNALIZABLE) !== 0) {
      if ((type.flags & SC.BLOCK_DATA) === 0) throw notRead(`an object of the class ${shownClass(type.name)}`);
      parts.push({ type, fields: [], written: this.#written() });
      return made;
    }
    for (const part of withParents(type)) parts.push(this.#part(part));
    return made;
  }

  #part(type: JavaClass): JavaPart {
    if ((type.flags & SC.SERIALIZABLE) === 0) throw notRead(`an object of the class ${shownClass(type.name)}`);
    const fields = type.fields.map((field) => this.#value(field.type));
    return { type, fields, written: (type.flags & SC.WRITE_METHOD) === 0 ? null : this.#written() };
  }

  #written(): readonly JavaContent[] {
    const written: JavaContent[] = [];
    for (;;) {
      const tag = this.#input.uint8();
      if (tag === TC.ENDBLOCKDATA) return written;
      if (tag === TC.BLOCKDATA) written.push(this.#block(this.#input.uint8(), false));
      else if (tag === TC.BLOCKDATALONG) written.push(this.#block(this.#input.int32(), true));
      else written.push(this.#node(tag));
    }
  }

  #block(length: number, isLong: boolean): JavaContent {
    return { kind: 'block', bytes: this.#input.bytes(this.#checked(length)), isLong };
  }

  #value(type: string): JavaFieldValue {
    const size = PRIMITIVES[type]?.size;
    return size === undefined ? this.#node() : this.#input.bytes(size);
  }

  #array(): JavaArray {
    const type = this.#class();
    const made: Mutable<JavaArray> = { kind: 'array', type, elements: [], length: 0 };
    this.#handles.push(made);
    made.length = this.#checked(this.#input.int32());
    const size = PRIMITIVES[type.name.charAt(1)]?.size;
    if (size !== undefined && type.name.length === 2) made.elements = this.#input.bytes(made.length * size);
    else made.elements = this.#nodes(made.length);
    return made;
  }

  /** Reads nodes one by one, so that a large count in a short stream does not allocate memory. */
  #nodes(count: number): readonly JavaNode[] {
    const nodes: JavaNode[] = [];
    for (let left = count; left > 0; left--) nodes.push(this.#node());
    return nodes;
  }

  #enum(): JavaNode {
    const made: Mutable<JavaEnum> = { kind: 'enum', type: this.#class(), constant: NO_TEXT };
    this.#handles.push(made);
    const constant = this.#node();
    if (constant.kind !== 'string') throw damaged('it contains a constant without a name');
    made.constant = constant;
    return made;
  }

  #text(): Uint8Array {
    return this.#input.bytes(this.#input.uint16());
  }

  /** Throws a TypeError if the count exceeds the number of remaining bytes, because each element needs at least one byte. */
  #checked(count: number): number {
    if (count >= 0 && count <= this.#input.left) return count;
    throw damaged(`it ends before the last of ${count} elements`);
  }

  #remember(node: JavaNode): JavaNode {
    this.#handles.push(node);
    return node;
  }
}

/** Returns the class and its superclasses, in the order in which their data is written: topmost superclass first. */
function withParents(type: JavaClass): readonly JavaClass[] {
  const classes: JavaClass[] = [];
  for (let next: JavaClass | null = type; next !== null; next = next.parent) classes.unshift(next);
  return classes;
}
