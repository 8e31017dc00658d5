import { encodeModifiedUtf8, int32, int64 } from './java-bytes';
import {
  BASE_HANDLE,
  type JAVA_NULL,
  type JavaArray,
  type JavaBlock,
  type JavaClass,
  type JavaNode,
  type JavaPart,
  type JavaString,
  MAGIC,
  TC,
  VERSION,
} from './stream-format';

/* Writes nodes as a Java stream. Unchanged nodes produce their original bytes. As in Java, later occurrences of a node are references by handle. */

export function writeJavaStream(root: JavaNode): Uint8Array {
  return new JavaStreamWriter().write(root);
}

class JavaStreamWriter {
  readonly #chunks: Uint8Array[] = [];
  /** Class descriptions are identified by content, so that new nodes can refer to the descriptions of stored nodes. */
  readonly #handles = new Map<JavaNode | string, number>();

  write(root: JavaNode): Uint8Array {
    this.#uint16(MAGIC);
    this.#uint16(VERSION);
    this.#node(root);
    return Buffer.concat(this.#chunks);
  }

  #node(node: JavaNode): void {
    if (node.kind === 'null') this.#uint8(TC.NULL);
    else if (!this.#refersBack(node)) this.#newNode(node);
  }

  #newNode(node: Exclude<JavaNode, typeof JAVA_NULL>): void {
    switch (node.kind) {
      case 'string':
        this.#string(node);
        break;
      case 'object':
        this.#begin(TC.OBJECT, node.type, node);
        for (const part of node.parts) this.#part(part);
        break;
      case 'array':
        this.#array(node);
        break;
      case 'enum':
        this.#begin(TC.ENUM, node.type, node);
        this.#node(node.constant);
        break;
      case 'classValue':
        this.#begin(TC.CLASS, node.type, node);
    }
  }

  #string(node: JavaString): void {
    this.#uint8(node.isLong ? TC.LONGSTRING : TC.STRING);
    this.#number(node);
    if (node.isLong) this.#chunks.push(int64(BigInt(node.bytes.length)));
    else this.#uint16(node.bytes.length);
    this.#chunks.push(node.bytes);
  }

  #part({ fields, written }: JavaPart): void {
    for (const field of fields) {
      if (field instanceof Uint8Array) this.#chunks.push(field);
      else this.#node(field);
    }
    if (written === null) return;
    for (const content of written) {
      if (content.kind === 'block') this.#block(content);
      else this.#node(content);
    }
    this.#uint8(TC.ENDBLOCKDATA);
  }

  #block({ bytes, isLong }: JavaBlock): void {
    this.#uint8(isLong ? TC.BLOCKDATALONG : TC.BLOCKDATA);
    if (isLong) this.#chunks.push(int32(bytes.length));
    else this.#uint8(bytes.length);
    this.#chunks.push(bytes);
  }

  #array(node: JavaArray): void {
    this.#begin(TC.ARRAY, node.type, node);
    this.#chunks.push(int32(node.length));
    if (node.elements instanceof Uint8Array) this.#chunks.push(node.elements);
    else for (const element of node.elements) this.#node(element);
  }

  #begin(tag: number, type: JavaClass, node: JavaNode): void {
    this.#uint8(tag);
    this.#class(type);
    this.#number(node);
  }

  #class(type: JavaClass): void {
    const description = descriptionOf(type);
    if (this.#refersBack(description)) return;
    this.#uint8(TC.CLASSDESC);
    this.#text(type.name);
    this.#chunks.push(int64(type.uid));
    this.#number(description);
    this.#uint8(type.flags);
    this.#uint16(type.fields.length);
    for (const field of type.fields) {
      this.#uint8(field.type.charCodeAt(0));
      this.#text(field.name);
      if (field.signature !== null) this.#node(field.signature);
    }
    this.#uint8(TC.ENDBLOCKDATA);
    if (type.parent === null) this.#uint8(TC.NULL);
    else this.#class(type.parent);
  }

  #number(node: JavaNode | string): void {
    this.#handles.set(node, this.#handles.size);
  }

  /** Writes a reference if the node or class description was already written. Returns true in that case. */
  #refersBack(node: JavaNode | string): boolean {
    const handle = this.#handles.get(node);
    if (handle === undefined) return false;
    this.#uint8(TC.REFERENCE);
    this.#chunks.push(int32(BASE_HANDLE + handle));
    return true;
  }

  #text(text: string): void {
    const bytes = encodeModifiedUtf8(text);
    this.#uint16(bytes.length);
    this.#chunks.push(bytes);
  }

  #uint8(value: number): void {
    this.#chunks.push(Uint8Array.of(value));
  }

  #uint16(value: number): void {
    this.#chunks.push(Uint8Array.of(value >> 8, value));
  }
}

function descriptionOf({ name, uid, flags, fields, parent }: JavaClass): string {
  const described = fields.map(({ type, name: field }) => type + field);
  return JSON.stringify([name, String(uid), flags, described, parent && descriptionOf(parent)]);
}
