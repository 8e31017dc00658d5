import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { openApiDocument } from '../../src/console/openapi';

/* The OpenAPI document of the console, as JSON. Tests do not use the table from which it is generated. */

export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly 'x-role': string;
  readonly 'x-effect': string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

export interface ApiDocument extends Readonly<Record<string, unknown>> {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument())) as ApiDocument;

export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

export const ENDPOINTS: readonly Endpoint[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Resolves a reference of the document; returns other values unchanged. */
export function resolved<T>(value: T & { readonly $ref?: string }): T {
  if (value.$ref === undefined) return value;
  const found = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], DOCUMENT);
  if (found === undefined) throw new Error(`${value.$ref} points to nothing.`);
  return resolved(found as T & { readonly $ref?: string });
}

/** A shared compiler for all schemas: compiling the meta-schema takes longer than compiling most schemas. */
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
ajv.addVocabulary(['components', 'example']);
const validators = new Map<Schema, ValidateFunction>();

/** Checks values against a schema of the document. */
export function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = ajv.compile({ ...schema, components: DOCUMENT.components });
  validators.set(schema, validator);
  return validator;
}
