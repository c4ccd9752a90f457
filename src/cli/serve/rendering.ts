import { Exporter } from '../../envoy/export/exporter.ts';
import type { ProxyName } from '../../envoy/xds/names.ts';
import { Renderer } from '../../envoy/xds/render.ts';
import type { Aside } from '../../gateway/live/loader.ts';
import type { Loaded } from '../../policy/load.ts';

/** What Envoys want, asked of the thread that has the rules. Plain data, since it goes from thread to thread. */
export interface Wanted {
  readonly proxy?: ProxyName;
  readonly names: readonly string[];
  /** By name, versions whose bytes whoever asks has already. */
  readonly known: Readonly<Record<string, readonly string[]>>;
}

export interface Made {
  readonly resources: readonly {
    readonly name: string;
    readonly version: string;
    /** Not given: known. */
    readonly bytes?: Uint8Array;
    readonly denies?: string;
  }[];
  readonly problems: readonly string[];
}

/** Nothing is exported before somebody wants it. */
export function rendering(): Aside {
  let renderer: Renderer | undefined;
  let by: Loaded | undefined;
  return (asked, loaded): Made => {
    const { proxy, names, known } = asked as Wanted;
    if (renderer === undefined || by !== loaded) {
      const exporter = new Exporter(loaded.rules, loaded.inventory, loaded.snapshot);
      if (renderer === undefined) renderer = new Renderer(exporter);
      else renderer.use(exporter);
      by = loaded;
    }
    const { resources, problems } = renderer.render(proxy, names);
    return {
      problems,
      resources: resources.map((resource) => {
        const { name, version } = resource;
        return known[name]?.includes(version) === true ? { name, version } : resource;
      }),
    };
  };
}
