/**
 * Who may import whom: the table of docs/ARCHITECTURE.md as data. The reasons are printed with every finding,
 * so that whoever trips over a row learns why it is there.
 */

export type Use = 'yes' | 'types';

export interface Area {
  readonly name: string;
  /** A folder ending in `/`, or one file. The longest that fits a path is its area. */
  readonly at: string;
  readonly may: Readonly<Record<string, Use>>;
  /** Packages it may import; `'one-file'`: in one file of the area only; a path: below it only. */
  readonly packages: Readonly<Record<string, 'anywhere' | 'one-file' | `src/${string}/`>>;
  /** Whether it may import `node:` modules, or which files of it may. */
  readonly node: boolean | readonly string[];
  /** No clock, no randomness, no global of the host. */
  readonly pure: boolean;
  /** `import()` keeps the command line quick to start; anywhere else it hides an edge, but in these files. */
  readonly dynamic: boolean | readonly string[];
  readonly reason: string;
}

export const areas: readonly Area[] = [
  {
    name: 'model',
    at: 'src/pdp/model/',
    may: { model: 'yes' },
    packages: {},
    node: false,
    pure: true,
    dynamic: false,
    reason:
      'the model is what everybody speaks: whatever it imported, everybody would import, so it imports only itself',
  },
  {
    name: 'pdp',
    at: 'src/pdp/',
    may: { model: 'yes', pdp: 'yes' },
    packages: {},
    node: false,
    pure: true,
    dynamic: false,
    reason:
      'the core decides from its arguments alone, so that a verdict can be repeated, proved against a twin and run anywhere: no package, no file, no clock, no randomness',
  },
  {
    name: 'policy',
    at: 'src/policy/',
    may: { model: 'yes', pdp: 'yes', policy: 'yes' },
    packages: { yaml: 'src/policy/text/', zod: 'anywhere' },
    node: ['src/policy/files.ts'],
    pure: false,
    dynamic: false,
    reason:
      'documents become rules by computation; one file reads the disk and one folder knows the YAML parser, so that documents can come from anywhere and are parsed in one way',
  },
  {
    name: 'attributes',
    at: 'src/attributes/',
    may: { model: 'yes', attributes: 'yes' },
    packages: {
      '@peculiar/x509': 'src/attributes/x509/',
      'reflect-metadata': 'src/attributes/x509/',
      jose: 'one-file',
      'lru-cache': 'one-file',
      '@kubernetes/client-node': 'one-file',
    },
    node: true,
    pure: false,
    // The client is large, and only those who follow a cluster install it.
    dynamic: ['src/attributes/kubernetes/client.ts'],
    reason:
      'evidence becomes attributes without knowing any policy; each package that touches untrusted bytes stands in one place, where it can be reviewed and replaced',
  },
  {
    name: 'gateway',
    at: 'src/gateway/',
    may: { model: 'yes', pdp: 'yes', policy: 'yes', attributes: 'types', gateway: 'yes' },
    packages: {
      hono: 'anywhere',
      '@hono/node-server': 'src/gateway/',
      zod: 'anywhere',
      'prom-client': 'one-file',
      '@opentelemetry/api': 'one-file',
    },
    node: true,
    pure: false,
    dynamic: false,
    reason:
      'what gateways call knows attributes by their types only and never knows envoy: what one edge needs of another is a function that the command line passes in',
  },
  {
    name: 'envoy',
    at: 'src/envoy/',
    may: { model: 'yes', pdp: 'yes', envoy: 'yes' },
    packages: { '@bufbuild/protobuf': 'anywhere' },
    node: true,
    pure: false,
    dynamic: false,
    reason:
      'what Envoy calls and loads reads rules, never documents, and never knows gateway: an export that looked at policies could drift from the verdict',
  },
  {
    name: 'client',
    at: 'src/client/',
    may: { model: 'types', pdp: 'types', gateway: 'types', client: 'yes' },
    packages: {},
    node: false,
    pure: false,
    dynamic: false,
    reason:
      'whoever asks a service far away needs its types and nothing that decides: no package, nothing of Node, so that it runs wherever there is fetch',
  },
  {
    name: 'root',
    at: 'src/index.ts',
    may: { model: 'yes', pdp: 'yes', policy: 'yes' },
    packages: {},
    node: false,
    pure: false,
    dynamic: false,
    reason:
      'the package root gives programs what decides; who needs certificates, a service or Envoy asks the command line',
  },
  {
    name: 'cli',
    at: 'src/cli/',
    may: {
      model: 'yes',
      pdp: 'yes',
      policy: 'yes',
      attributes: 'yes',
      gateway: 'yes',
      envoy: 'yes',
      cli: 'yes',
    },
    packages: { commander: 'anywhere', zod: 'anywhere' },
    node: true,
    pure: false,
    dynamic: true,
    reason:
      'the command line is the only place that wires everything together, and nothing imports it; what it alone reads, configuration and cases, has its schemas here',
  },
];

/** What programs that install the package import: the `exports` of package.json. */
export const published: readonly string[] = ['src/index.ts', 'src/client/index.ts'];

/** No file may be longer: what does not fit in the head hides its mistakes. */
export const longestFile = 300;

/** Names by which a pure area could reach the host or differ from run to run. */
export const impureNames = [
  'Date',
  'performance',
  'process',
  'globalThis',
  'crypto',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'eval',
  'Function',
  'WeakRef',
  'FinalizationRegistry',
  'Intl',
  'Atomics',
] as const;

/** `Math.random` differs from run to run; the locale family differs from machine to machine. */
export const impureMembers = [
  'random',
  'localeCompare',
  'toLocaleString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
] as const;

export function areaOf(file: string): Area | undefined {
  let found: Area | undefined;
  for (const area of areas) {
    const inside = area.at.endsWith('/') ? file.startsWith(area.at) : file === area.at;
    if (inside && (found === undefined || area.at.length > found.at.length)) found = area;
  }
  return found;
}
