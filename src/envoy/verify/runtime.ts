import { entries, field, textOf } from './json.ts';

/** Layers of the runtime of a bootstrap: where settings come from that stand nowhere else. */

/** Features that change what RBAC sees of a request. */
const features =
  /^envoy\.(reloadable|restart)_features\..*(header_validator|path_with_fragment|headers_individually|rbac)/;

/** The layer that may set what begins so, by its name; undefined if none does. */
export function mayBeSet(start: string, layers: readonly unknown[]): string | undefined {
  // What a file or a service says is not in the configuration; what an administrator says is no part of it.
  const found = layers.find(
    (layer) =>
      field(layer, 'rtds_layer') !== undefined ||
      field(layer, 'disk_layer') !== undefined ||
      namesIn(field(layer, 'static_layer')).some((name) => name.startsWith(start)),
  );
  return found === undefined ? undefined : (textOf(field(found, 'name')) ?? '');
}

export function featuresSet(layers: readonly unknown[]): string[] {
  return layers.flatMap((layer) =>
    namesIn(field(layer, 'static_layer')).filter((name) => features.test(name)),
  );
}

/** Names that have a value, which may be nested at any dot. */
function namesIn(value: unknown): string[] {
  return entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner).map((one) => `${name}.${one}`)]);
}
