import { withSecurity } from '../../src/console/openapi';
import { PROBLEM_CODES } from '../../src/operations/problem';
import { routeManifest } from '../../src/operations/route-manifest';
import { DOCUMENT, ENDPOINTS, resolved, type Schema, validatorOf } from './openapi-document';
import { ask, closeAll, testConsole, testScheduler } from './support';

const PLACES = new Set(['get', 'put', 'post', 'delete']);

describe('the OpenAPI document', () => {
  afterEach(closeAll);

  it('is served as generated', async () => {
    const { status, body } = await ask(testConsole(await testScheduler()), 'api/openapi.json');
    expect({ status, body }).toEqual({ status: 200, body: withSecurity(DOCUMENT, null) });
    expect(body.components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
    expect(body.openapi).toMatch(/^3\.1\.\d$/);
    expect(Object.keys(body).sort()).toEqual(['components', 'info', 'openapi', 'paths', 'security', 'servers']);
  });

  it('has an entry for every operation, with its name, its role and its effect', () => {
    const entries = ENDPOINTS.filter(({ operation }) => !operation.tags.includes('events')).map(
      ({ path, method, operation }) => [
        operation.operationId,
        {
          path: path.replace('/api/schedulers/{scheduler}', '').replace(/\{(\w+)\}/g, ':$1'),
          method: method.toUpperCase(),
          role: operation['x-role'],
          effect: operation['x-effect'],
          summary: operation.summary,
        },
      ],
    );
    expect(Object.fromEntries(entries)).toEqual(routeManifest());
    expect(entries).toHaveLength(Object.keys(routeManifest()).length);
  });

  it.each(
    ENDPOINTS.map((endpoint) => [endpoint.operation.operationId, endpoint] as const),
  )('describes %s with parameters, a body and responses in the form of OpenAPI', (_, { path, method, operation }) => {
    expect(PLACES).toContain(method);
    const parameters = operation.parameters.map(resolved);
    const inPath = parameters.filter((each) => each.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`).sort()).toEqual((path.match(/\{\w+\}/g) ?? []).sort());
    expect(inPath.every(({ required }) => required)).toBe(true);
    const places = parameters.map((each) => `${each.in} ${each.name}`);
    expect(new Set(places).size).toBe(places.length);
    for (const each of parameters) expect(each).toMatchObject({ description: expect.any(String), schema: {} });
    expect(operation.requestBody !== undefined).toBe(method === 'post' || method === 'put');
    const fields = operation.requestBody?.content['application/json'].schema;
    for (const [name, field] of Object.entries(fields?.properties ?? {}))
      expect({ name, description: descriptionOf(field) }).toEqual({ name, description: expect.any(String) });
    expect(fields?.additionalProperties ?? false).toBe(false);
    expect(Object.keys(operation.responses).sort()).toEqual(['200', 'default']);
  });

  it('has only valid schemas, and references that resolve', () => {
    const schemas = ENDPOINTS.flatMap(({ operation }) => [
      ...operation.parameters.map((each) => resolved(each).schema),
      ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(operation.responses)
        .flatMap((each) => Object.values(resolved(each).content ?? {}))
        .map((each) => each.schema),
    ]);
    for (const schema of schemas) expect(typeof validatorOf(schema)).toBe('function');
    expect(schemas.length).toBeGreaterThan(10);
    const references = [...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target);
    for (const target of references) expect(resolved({ $ref: target as string })).toBeDefined();
  });

  it('contains every problem code', () => {
    const { properties } = DOCUMENT.components.schemas?.problem as Schema;
    for (const code of Object.keys(PROBLEM_CODES)) expect(properties?.code?.description).toContain(code);
  });
});

/** Description of a field, or of the schema to which it refers. */
function descriptionOf(field: Schema): string | undefined {
  return field.description ?? resolved(field).description;
}
