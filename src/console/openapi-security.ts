type Json = Readonly<Record<string, unknown>>;

const BEARER = { type: 'http', scheme: 'bearer' } as const;

/** The document with the ways in which a console lets somebody in: by a token, and by the cookie of that name, if it has sessions. */
export function withSecurity(document: Json, sessionCookie: string | null): Json {
  const session = { type: 'apiKey', in: 'cookie', name: sessionCookie, description: 'What `POST api/session` sets.' };
  const schemes = sessionCookie === null ? { bearer: BEARER } : { bearer: BEARER, session };
  return {
    ...document,
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    components: { ...(document.components as Json), securitySchemes: schemes },
  };
}
