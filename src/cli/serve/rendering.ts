import { Exporter } from '../../envoy/export/exporter.ts';
import type { ProxyName } from '../../envoy/xds/names.ts';
import { Renderer } from '../../envoy/xds/render.ts';
import type { Resource } from '../../envoy/xds/resource.ts';
import type { Aside } from '../../gateway/live/loader.ts';
import { messageOf } from '../../pdp/model/text.ts';
import type { Loaded } from '../../policy/load.ts';

/** What one Envoy wants. */
export interface Want {
  readonly proxy?: ProxyName;
  readonly names: readonly string[];
}

/** What Envoys want, asked of the thread that has the rules. Plain data, since it goes from thread to thread. */
export interface Wanted {
  readonly wants: readonly Want[];
  /** By name, versions whose bytes whoever asks has already. */
  readonly known: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A resource, without its bytes where they are known. */
export type Given = Omit<Resource, 'bytes'> & Partial<Pick<Resource, 'bytes'>>;

export type Made =
  | { readonly resources: readonly Given[]; readonly problems: readonly string[] }
  | { readonly failed: string };

/**
 * For the first of those who want something, in their order, and for as many as there was time for; at least one. What
 * several of them get is one object, which goes from thread to thread once.
 */
export type Answers = readonly Made[];

/** Milliseconds after which others are answered first, who ask the same thread about the rules. */
const turn = 50;

/** Nothing is exported before somebody wants it. */
export function rendering(time: () => number = () => performance.now()): Aside {
  let renderer: Renderer | undefined;
  let by: Loaded | undefined;
  return (asked, loaded): Answers => {
    const { wants, known } = asked as Wanted;
    const end = time() + turn;
    const current = rendererOf(loaded);
    const given = new Map<Resource, Given>();
    const answers: Made[] = [];
    for (const want of wants) {
      answers.push(made(current, want));
      if (time() >= end) break;
    }
    return answers;

    function made(of: Renderer, { proxy, names }: Want): Made {
      try {
        const { resources, problems } = of.render(proxy, names);
        return { problems, resources: resources.map(give) };
      } catch (error) {
        // What is wrong with one is not the others' business.
        return { failed: messageOf(error) };
      }
    }

    function give(resource: Resource): Given {
      let one = given.get(resource);
      if (one === undefined) {
        const { bytes: _, ...rest } = resource;
        one = known.get(resource.name)?.has(resource.version) === true ? rest : resource;
        given.set(resource, one);
      }
      return one;
    }
  };

  function rendererOf(loaded: Loaded): Renderer {
    if (renderer !== undefined && by === loaded) return renderer;
    const exporter = new Exporter(loaded.rules, loaded.inventory, loaded.snapshot);
    if (renderer === undefined) renderer = new Renderer(exporter);
    else renderer.use(exporter);
    by = loaded;
    return renderer;
  }
}
