import { verifyLimits } from './limits.ts';
import type { Mentioned } from './mentioned.ts';

/** What a request asks, apart from who asks. */
export interface Shape {
  /** Not given where connections are all there is. */
  readonly method?: string;
  readonly path?: string;
  readonly sni?: string;
}

/** Every server name with every path and method, each made when it is asked for. */
export class Shapes {
  readonly #snis: readonly (string | undefined)[];
  readonly #paths: readonly (string | undefined)[];
  readonly #methods: readonly (string | undefined)[];

  constructor(
    snis: readonly (string | undefined)[],
    paths: readonly (string | undefined)[],
    methods: readonly (string | undefined)[],
  ) {
    this.#snis = snis;
    this.#paths = paths;
    this.#methods = methods;
  }

  get length(): number {
    return this.#snis.length * this.#paths.length * this.#methods.length;
  }

  at(index: number): Shape {
    const method = this.#methods[index % this.#methods.length];
    const rest = Math.floor(index / this.#methods.length);
    const path = this.#paths[rest % this.#paths.length];
    const sni = this.#snis[Math.floor(rest / this.#paths.length)];
    return {
      ...(sni === undefined ? {} : { sni }),
      ...(method === undefined ? {} : { method }),
      ...(path === undefined ? {} : { path }),
    };
  }
}

/** Requests near everything that is mentioned. The first is plain; of each sort something is mentioned by nobody. */
export function shapesFor(mentioned: Mentioned, http: boolean): Shapes {
  const snis: (string | undefined)[] = [undefined];
  for (const sni of [...mentioned.snis].slice(0, verifyLimits.texts)) {
    snis.push(sni, sni.toUpperCase(), `${sni}x`, sni.slice(1));
  }
  const names = [...new Set(snis)].filter((sni) => sni === undefined || /^[\w.-]+$/.test(sni));
  if (!http) return new Shapes(names, [undefined], [undefined]);
  const methods = new Set([
    'GET',
    ...[...mentioned.methods].slice(0, verifyLimits.texts),
    unmentioned(mentioned.methods),
  ]);
  return new Shapes(names, pathsFor([...mentioned.paths].slice(0, verifyLimits.texts)), [...methods]);
}

function unmentioned(methods: ReadonlySet<string>): string {
  return ['PUT', 'OPTIONS', 'PATCH'].find((method) => !methods.has(method)) ?? 'LINK';
}

/** Only paths that a connection manager leaves as they are: what it does to others is on the list of what is relied on. */
function pathsFor(mentioned: readonly string[]): string[] {
  const paths = new Set(['/']);
  for (const text of mentioned) {
    const [path = ''] = text.split('?');
    const bare = path.replace(/\/$/, '');
    for (const near of [
      path,
      bare,
      path.slice(0, -1),
      `${path}x`,
      `${bare}/x`,
      `${bare}/`,
      path.toUpperCase(),
    ]) {
      paths.add(near);
      paths.add(`${near}?a=1`);
    }
    paths.add(`/other?${path}`);
    // Nobody can tell what these mean: denied wherever paths are read.
    for (const ambiguous of [`${bare}%2Fx`, `${bare}%5Cx`, `/x%2F..${bare}`]) paths.add(ambiguous);
  }
  paths.add('/other');
  return [...paths].filter(staysAsItIs);
}

function staysAsItIs(path: string): boolean {
  const [before = ''] = path.split('?');
  return (
    before.startsWith('/') &&
    !/\/\/|\/\.{1,2}(\/|$|;)|[^!$&-;=@-Z_a-z~%]/.test(before) &&
    !/%(?![0-9A-F]{2})|%(00|2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/.test(before) &&
    !/[^!-~]|#/.test(path)
  );
}
