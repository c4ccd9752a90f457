import { LiveCatalogue } from '../../../../src/cli/serve/catalogue.ts';
import type { Catalogue, Node, Resource } from '../../../../src/envoy/xds/resource.ts';
import type { NodeStatus } from '../../../../src/envoy/xds/status.ts';
import { open, temporary } from '../../../gateway/live/opening.ts';
import { closing, name, type Serving, serve } from '../xds-lab.ts';
import { numberOf, type PolicySet } from './sets.ts';

/**
 * What `placet serve` does between a file and the Envoys: the folder is watched, a thread reads and compiles, and nodes
 * are sent what has changed. It is in this process, so that a test sees when a node says that it took something, and
 * waits for other changes of the folder 5 ms instead of 50, so that a thousand changes take less than a minute.
 */
export interface FromFiles extends Serving {
  /** Writes a set. */
  put(set: PolicySet): void;
  node(dataplane: string): NodeStatus | undefined;
  /** The number of the set that a node has said it uses; -1: of none. */
  taken(dataplane: string): number;
  /** Lines of the log that speak of what is wrong. */
  problems(): readonly string[];
}

const quiet = 5;

export async function serveFiles(first: PolicySet): Promise<FromFiles> {
  const folder = temporary();
  closing.push(() => folder.remove());
  const put = (set: PolicySet) => folder.put('policies.yaml', set.text);
  put(first);
  let catalogue: LiveCatalogue | undefined;
  const { live, lines } = await open(folder.path, { quiet }, { reloaded: () => catalogue?.changed() });
  closing.push(() => live.close());
  catalogue = new LiveCatalogue(live, (line) => void lines.push(line));
  const numbered = new Numbered(catalogue);
  const service = await serve(numbered);
  const node = (dataplane: string) => service.nodes().find(({ proxy }) => proxy?.dataplane === dataplane);
  return Object.assign(service, {
    put,
    node,
    taken(dataplane: string) {
      const resource = node(dataplane)?.resources.find((one) => one.name === name);
      return numbered.numbers.get(resource?.taken?.version ?? '') ?? -1;
    },
    problems: () => lines.filter((line) => !line.startsWith('the policies are those of snapshot ')),
  });
}

/** Reads off what is given out of which set it is. */
class Numbered implements Catalogue {
  /** By version. */
  readonly numbers = new Map<string, number>();
  readonly #catalogue: Required<Catalogue>;

  constructor(catalogue: Required<Catalogue>) {
    this.#catalogue = catalogue;
  }

  async render(node: Node, names: readonly string[]): Promise<readonly Resource[]> {
    const resources = await this.#catalogue.render(node, names);
    for (const { version, bytes } of resources) this.numbers.set(version, numberOf(bytes));
    return resources;
  }

  onChange(changed: () => void): () => void {
    return this.#catalogue.onChange(changed);
  }

  left(node: Node): void {
    this.#catalogue.left(node);
  }
}
