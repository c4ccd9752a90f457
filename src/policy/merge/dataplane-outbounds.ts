import { isFields } from '../../pdp/model/fields.ts';
import type { BackendRef, Dataplane, Inventory, Outbound as Written } from '../../pdp/model/inventory.ts';
import { serviceTag } from '../../pdp/model/rule.ts';
import { byText } from '../../pdp/model/text.ts';
import { labelNames } from '../kinds/head.ts';
import type { Resource, Resources } from '../targets/resources.ts';
import type { TargetRef } from '../targets/target-ref.ts';
import { type Destination, type Destinations, serviceKinds } from './destinations.ts';

/** What a proxy calls (SPEC MRG8): its outbounds, or, of one that lists none, all services of its mesh. */

export interface Outbound {
  readonly destination: Destination;
  /** Where the workload calls it, if its proxy lists it. */
  readonly address?: string;
  readonly port?: number;
}

export class ProxyOutbounds {
  readonly #destinations: Destinations;
  readonly #resources: Resources;
  readonly #inventory: Inventory;
  readonly #all = new Map<string, readonly Outbound[]>();

  constructor(destinations: Destinations, resources: Resources, inventory: Inventory) {
    this.#destinations = destinations;
    this.#resources = resources;
    this.#inventory = inventory;
  }

  of(dataplane: Dataplane): readonly Outbound[] {
    const { mesh, outbounds = [] } = dataplane;
    if (outbounds.length === 0) return this.#allOf(mesh);
    return outbounds.map((written) => this.#listed(written, dataplane));
  }

  #listed({ tags, backendRef, address, port }: Written, { mesh, labels }: Dataplane): Outbound {
    const namespace = backendRef?.namespace ?? labels.get(labelNames.namespace);
    const destination =
      backendRef === undefined
        ? this.#destinations.byTags(mesh, tags)
        : this.#destinations.byReference(mesh, refOf(backendRef, namespace), backendRef.port);
    return {
      destination,
      ...(address === undefined ? {} : { address }),
      ...(port === undefined ? {} : { port }),
    };
  }

  /** As with a transparent proxy: every service of the mesh can be called. */
  #allOf(mesh: string): readonly Outbound[] {
    const known = this.#all.get(mesh);
    if (known !== undefined) return known;
    const described = serviceKinds.flatMap((kind) =>
      this.#resources.of(kind).filter(({ head }) => head.mesh === mesh),
    );
    const found = described.flatMap((one) =>
      portsOf(one).map((port) => this.#destinations.byReference(mesh, nameOf(one), port)),
    );
    for (const service of this.#services(mesh)) {
      const destination = this.#destinations.byTags(mesh, new Map([[serviceTag, [service]]]));
      if (destination.resources.length === 0) found.push(destination);
    }
    const outbounds = found.map((destination) => ({ destination }));
    this.#all.set(mesh, outbounds);
    return outbounds;
  }

  /** That inbounds of the mesh name. */
  #services(mesh: string): readonly string[] {
    const names = new Set<string>();
    for (const dataplane of this.#inventory.dataplanes.values())
      if (dataplane.mesh === mesh)
        for (const { tags } of dataplane.inbounds)
          for (const name of tags.get(serviceTag) ?? []) names.add(name);
    return [...names].sort(byText);
  }
}

function refOf(ref: BackendRef, namespace: string | undefined): TargetRef {
  const { kind, name, labels } = ref;
  if (name === undefined) return { kind: kind as TargetRef['kind'], labels: labels ?? {} };
  return { kind: kind as TargetRef['kind'], name, ...(namespace === undefined ? {} : { namespace }) };
}

function nameOf({ kind, head }: Resource): TargetRef {
  return { kind, name: head.name, ...(head.namespace === undefined ? {} : { namespace: head.namespace }) };
}

/** Each port is an outbound of its own; a service without ports is one. */
function portsOf({ spec }: Resource): readonly (number | undefined)[] {
  const ports = Array.isArray(spec['ports']) ? spec['ports'] : [];
  const numbers = ports.flatMap((one: unknown) =>
    isFields(one) && typeof one['port'] === 'number' ? [one['port']] : [],
  );
  return numbers.length === 0 ? [undefined] : numbers;
}
