import { z } from 'zod';
import { type Method, methods, type Operation, type Parameter } from '../operation.ts';

const destination: Parameter = {
  in: 'path',
  schema: z.string().min(1),
  description:
    'What the request is for: `mesh=default;dataplane=orders;inbound=http`, or `service=ns/name`, with `namespace` and `route` where they matter; or `headers`: they are in headers `x-placet-mesh` and so on, which the proxy must set.',
  example: 'service=shop%2Ffront',
};

const certificate: Parameter = {
  in: 'header',
  schema: z.string(),
  description:
    'The client, as the proxy has seen it: the header of Envoy, which a client must not get through to here.',
  example: 'URI=spiffe://default.zone-1.mesh.local/ns/shop/sa/web',
};

const original = (description: string, example?: string): Parameter => ({
  in: 'header',
  schema: z.string(),
  description,
  ...(example === undefined ? {} : { example }),
});

const common = {
  tag: 'Proxies',
  role: 'relay',
  replies: {
    200: { description: 'It may go on. There is no body.' },
    403: { description: 'It may not; what the configuration says to clients.', type: 'text/plain' },
  },
  problems: [404],
} as const;

const named = (method: Method) => `extAuthz${method[0]?.toUpperCase()}${method.slice(1)}`;

/** The method is the client's: whichever it is, it is answered alike. */
const extAuthz = methods.map(
  (method): Operation => ({
    ...common,
    id: named(method),
    method,
    path: '/ext_authz/{destination}/{path}',
    summary: `May this request with ${method.toUpperCase()} go on? For ext_authz of an Envoy, by HTTP.`,
    description:
      'All up to the destination is `path_prefix` of the filter; behind it stands the path of the client as it is. Denials have the status and body of the configuration. The role `decide` is needed too.',
    parameters: {
      destination,
      path: { in: 'path', schema: z.string(), description: 'Of the client, with its query.', example: 'pay' },
      'x-forwarded-client-cert': certificate,
    },
  }),
);

export const extAuthzOperations: readonly Operation[] = [
  ...extAuthz,
  {
    ...common,
    id: 'forwardAuth',
    method: 'get',
    path: '/forward_auth/{destination}',
    summary: 'The same for auth_request of nginx, forwardAuth of Traefik, and their like.',
    description:
      'Method and path are in headers. Where several of them are there they must agree, since a client may have sent one. The role `decide` is needed too.',
    parameters: {
      destination,
      'x-forwarded-client-cert': certificate,
      'x-forwarded-method': original('The method of the client.', 'GET'),
      'x-forwarded-uri': original('Its path with the query.', '/pay'),
      'x-original-method': original('As `x-forwarded-method`.', 'GET'),
      'x-original-uri': original('As `x-forwarded-uri`.', '/pay'),
      'x-original-url': original('The same behind scheme and host.', 'https://shop.example/pay'),
    },
  },
];
