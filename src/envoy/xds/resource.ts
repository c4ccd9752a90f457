import type { ProxyName } from './names.ts';

/** The one type that is given out: extensions that are discovered (ECDS). */
export const extensionType = 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig';

/** Who asks a service of extensions alone may leave the type out. */
export function isExtensionType(type: string): boolean {
  return type === '' || type === extensionType;
}

/** An extension as Envoy takes it. What many nodes get is one object and one buffer. */
export interface Resource {
  readonly name: string;
  /** The same for the same bytes. */
  readonly version: string;
  /** A TypedExtensionConfig. */
  readonly bytes: Uint8Array;
  /** Why it lets nobody in, where no policy is the reason. */
  readonly denies?: string;
  /**
   * Why the policies of now cannot be exported. It is what they last were, or denies all: then whoever came with
   * another version keeps that.
   */
  readonly outdated?: string;
}

/** Whom an Envoy says it is. */
export interface Node {
  readonly id: string;
  readonly cluster: string;
  /** Undefined: it does not say which dataplane it is. */
  readonly proxy: ProxyName | undefined;
}

/** What each node gets, by the names that it asks for. */
export interface Catalogue {
  /**
   * One for each name of ours, in their order, and for no other; a name of ours that nobody knows has an extension too,
   * which denies all.
   */
  render(node: Node, names: readonly string[]): Promise<readonly Resource[]>;
  /** Calls whenever something may be otherwise; returns what ends that. */
  onChange(changed: () => void): () => void;
  /** A node, known by this very object, has gone and asks for nothing more. */
  left?(node: Node): void;
}
