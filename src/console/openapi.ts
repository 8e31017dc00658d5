import { z } from 'zod';
import { VERSION } from '../base/version';
import type { Operation } from '../operations/operation';
import { allOperations } from '../operations/operations';
import { PROBLEM_CODES } from '../operations/problem';
import { SCHEDULER_PATH } from './operation-routes';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the OpenAPI 3.1 document of all operations, without security schemes, which depend on the console. URLs are
 * relative to the document, so that the console can be mounted under any path.
 */
export function openApiDocument(): Json {
  document ??= createDocument();
  return document;
}

/** Created on the first request, because it takes about 0.1 s. */
let document: Json | undefined;

function createDocument(): Json {
  const definitions = new Map<string, unknown>(Object.entries(COMMON_SCHEMAS));
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, operation] of allOperations()) {
    const { method, path } = operation.http;
    const at = pathOf(`${SCHEDULER_PATH}${path}`);
    paths[at] ??= {};
    paths[at][method.toLowerCase()] = describe(name, operation, definitions);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'quartz-ts',
      version: VERSION,
      description:
        'HTTP API of the schedulers. Errors are problem documents (RFC 9457). Check their `code`, which never changes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the document, which is at api/openapi.json.
    servers: [{ url: '..' }],
    paths: { ...paths, ...EVENTS },
    components: {
      schemas: Object.fromEntries(definitions),
      responses: { problem: PROBLEM_RESPONSE },
      parameters: {
        scheduler: parameter('path', 'scheduler', 'Name of the scheduler.'),
        ifMatch: parameter('header', 'If-Match', 'Alternative to `ifVersion`: the `ETag` of a response.'),
      },
    },
  };
}

function describe(name: string, operation: Operation, definitions: Map<string, unknown>): Json {
  const { summary, role, effect, http, input, output } = operation;
  const fields = schemaOf(input, { io: 'input', prefix: `${name}.input`, definitions });
  const answer = schemaOf(output, { io: 'output', prefix: `${name}.output`, definitions });
  return {
    operationId: name,
    summary,
    tags: [name.split('.')[0]],
    'x-role': role,
    'x-effect': effect,
    ...request(http, fields),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: answer } } },
      default: { $ref: '#/components/responses/problem' },
    },
  };
}

function request({ method, path }: Operation['http'], schema: Json): Json {
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, field]) => field));
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set((schema.required ?? []) as readonly string[]);
  const given = (place: 'path' | 'query', [name, { description, ...field }]: readonly [string, Json]) => ({
    ...parameter(place, name, description, field),
    required: place === 'path' || required.has(name),
  });
  const pathParameters = properties.filter(([name]) => inPath.has(name)).map((each) => given('path', each));
  const rest = properties.filter(([name]) => !inPath.has(name));
  const conditions = properties.some(([name]) => name === 'ifVersion') ? [IF_MATCH] : [];
  const parameters = [SCHEDULER, ...pathParameters, ...conditions];
  if (method === 'GET' || method === 'DELETE') {
    return { parameters: [...parameters, ...rest.map((each) => given('query', each))] };
  }
  const { properties: _, required: __, ...other } = schema;
  const body = {
    ...other,
    properties: Object.fromEntries(rest),
    required: [...required].filter((each) => !inPath.has(each)),
  };
  return { parameters, requestBody: { required: true, content: { 'application/json': { schema: body } } } };
}

interface SchemaOptions {
  readonly io: 'input' | 'output';
  readonly prefix: string;
  readonly definitions: Map<string, unknown>;
}

/** Converts a schema for the document, and moves its `$defs` to the document's components. */
function schemaOf(schema: z.ZodType, { io, prefix, definitions }: SchemaOptions): Json {
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io });
  const moved = (value: unknown) => moveReferences(value, prefix);
  for (const [name, definition] of Object.entries($defs)) definitions.set(`${prefix}.${name}`, moved(definition));
  return moved(rest) as Json;
}

function moveReferences(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((each) => moveReferences(each, prefix));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string'
        ? [key, inner.replace(/^#\/\$defs\//, `#/components/schemas/${prefix}.`)]
        : [key, moveReferences(inner, prefix)],
    ),
  );
}

function pathOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

const COMMON_SCHEMAS = {
  problem: {
    type: 'object',
    required: ['type', 'code', 'title', 'status'],
    properties: {
      type: {
        type: 'string',
        description: 'urn:quartz-ts:problem: followed by the code. An identifier, not an address.',
      },
      code: { type: 'string', description: `One of ${Object.keys(PROBLEM_CODES).join(', ')}, or a code of the API.` },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: {
            field: { type: 'string' },
            message: { type: 'string' },
            offset: { type: 'integer', description: 'Offset in the text of the field, from 0.' },
            line: { type: 'integer', description: 'Line in the text, from 1.' },
            column: { type: 'integer', description: 'Column in the line, from 1.' },
          },
        },
      },
      id: { type: 'string', description: 'Id under which the log has details.' },
    },
  },
} as const;

const PROBLEM_RESPONSE = {
  description: 'The operation failed.',
  headers: {
    'Retry-After': {
      description: 'Seconds to wait before trying again, if known.',
      schema: { type: 'integer' },
    },
  },
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/problem' } } },
} as const;

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0, maximum: 999_999_999 } as const;

function parameter(place: 'path' | 'query' | 'header', name: string, description?: unknown, schema: Json = TEXT): Json {
  return { name, in: place, required: place === 'path', ...(description ? { description } : {}), schema };
}

const SCHEDULER = { $ref: '#/components/parameters/scheduler' } as const;
const IF_MATCH = { $ref: '#/components/parameters/ifMatch' } as const;

const EVENTS = {
  [pathOf(`${SCHEDULER_PATH}/events`)]: streamAt(
    'events',
    'Streams events as server-sent events until the client disconnects.',
  ),
  [pathOf(`${SCHEDULER_PATH}/firings/:runId/lines`)]: streamAt(
    'firings.lines',
    'Streams the log lines and progress of a run as server-sent events until the run has ended.',
    [
      parameter('path', 'runId', 'Run id, as in the list of firings.'),
      parameter('query', 'after', 'Number of log lines already received, if there is no Last-Event-ID.', COUNT),
    ],
  ),
};

function streamAt(operationId: string, summary: string, parameters: readonly Json[] = []): Json {
  return {
    get: {
      operationId,
      summary,
      tags: ['events'],
      'x-role': 'viewer',
      'x-effect': 'reads',
      parameters: [
        SCHEDULER,
        parameter('header', 'Last-Event-ID', 'Id of the last event that was received.'),
        ...parameters,
      ],
      responses: {
        200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        default: { $ref: '#/components/responses/problem' },
      },
    },
  };
}

const BEARER = { type: 'http', scheme: 'bearer' } as const;

/** Adds the security schemes of a console: a bearer token, and the session cookie unless `sessionCookie` is null. */
export function withSecurity(document: Json, sessionCookie: string | null): Json {
  const session = {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'Session cookie set by `POST api/session`.',
  };
  const schemes = sessionCookie === null ? { bearer: BEARER } : { bearer: BEARER, session };
  return {
    ...document,
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    components: { ...(document.components as Json), securitySchemes: schemes },
  };
}
